# Yours, from the service. The sandbox takes any ids.
plans = {
  basic    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  team     = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
  business = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"
}

seat = {
  product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
  price_id   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
}
