"""What the pages ask of the lower packages, as plain functions. No Streamlit here."""
