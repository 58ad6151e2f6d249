"""A basket of goods."""


def total(basket):
    return sum(price for _, price in basket)
