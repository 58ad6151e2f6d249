"""A basket of goods."""


def total(basket):
    return sum(cost for _, cost in basket)
