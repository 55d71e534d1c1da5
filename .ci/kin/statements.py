"""Reads the statements of PostgreSQL's log in CSV form, and groups them by transaction."""
import csv
import re
import sys

# The roles that tests make for stores: statements of other roles are those of the tests.
STORE_ROLE = re.compile(r"t[0-9a-f]{32}")
# A line of the log: "execute NAME: SQL" in the extended protocol, "statement: SQL" in the simple one.
MESSAGE = re.compile(r"(statement|execute ([^:]*)): (.*)", re.DOTALL)


class Statement:
    def __init__(self, text, is_named=False):
        self.text = text
        # True if it was prepared by name.
        self.is_named = is_named


def read(path, application):
    """Returns the transactions of stores, each the statements in their order; `application` is the name of the connections'
    program, or None for all.

    The log has the virtual ID of each statement's transaction, also where several statements share one without BEGIN.
    """
    csv.field_size_limit(sys.maxsize)
    transactions = {}
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.reader(file):
            if len(row) < 14 or row[11] != "LOG" or not STORE_ROLE.fullmatch(row[1]):
                continue
            if application and row[22] != application:
                continue
            message = MESSAGE.match(row[13])
            # What pgbouncer sends for its clients.
            if not message or message[3].startswith("SET application_name="):
                continue
            name = message[2]
            statement = Statement(message[3], name is not None and name not in ("", "<unnamed>"))
            transactions.setdefault((row[5], row[9]), []).append(statement)
    return transactions.values()


def read_trial(path):
    """Yields the transactions of a file of trials, each with the pairs of a path and a feature that are expected.

    A transaction follows a line `-- PATH: FEATURE, …`; features named `function …` and `column …` are not compared.
    """
    expected, lines = None, []
    for line in open(path, encoding="utf-8").read().splitlines() + ["-- "]:
        if not line.startswith("-- "):
            lines.append(line)
            continue
        if expected is not None:
            texts = [text.strip() for text in re.split(r";\n|;$", "\n".join(lines)) if text.strip()]
            yield [Statement(t.removeprefix("unnamed: "), not t.startswith("unnamed: ")) for t in texts], expected
        path_name, _, findings = line[3:].partition(":")
        expected = {(path_name.strip(), finding.strip()) for finding in findings.split(",") if finding.strip()}
        lines = []
