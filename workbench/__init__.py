"""The Streamlit app for curators and researchers."""
