"""A few sentences about two kinds of banks: what byte-pair merges are learned from in the notes.

>>> len(TEXT.split())
97
"""

TEXT = """\
A bank is the land beside a river. A bank is also a house that keeps money. The banks of the \
river are green, and the banks of the town are rich. In the spring of 2019 the river rose, and \
in the spring of 2020 it rose again. The bank beside the bridge lost 1000 fish, and the bank \
beside the market lost 1000 coins. The bank lends money to those who fish, and those who fish \
bring the money to the bank. Who sits on the bank of the river is not at the bank."""
