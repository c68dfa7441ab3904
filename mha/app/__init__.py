"""The Streamlit of the package: link, components, long work, errors, share and download."""
