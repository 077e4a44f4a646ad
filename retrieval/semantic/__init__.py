"""L1: embedding, index generations, full text, and the retriever that asks them."""
