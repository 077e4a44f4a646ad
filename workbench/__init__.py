"""A Streamlit app to look things up, to see why something was found, and to judge it."""
