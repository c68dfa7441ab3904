"""Results to sentences and component data, one module a page: pure functions, no Streamlit and no torch."""
