print("libera")
