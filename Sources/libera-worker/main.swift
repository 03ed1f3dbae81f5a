print("libera-worker")
