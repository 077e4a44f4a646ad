"""What is to be drawn, as plain values: text, numbers and escaped HTML. No Streamlit here."""
