"""A basket of goods."""


def add(name, price, basket=[]):
    basket.append((name, price))
    return basket


def total(basket):
    return sum(price for _, price in basket)
