# Ids of the product and the price of a seat at the service. Plans are found by name.
seat = {
  product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
  price_id   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
}
