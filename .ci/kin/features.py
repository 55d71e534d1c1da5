"""The features of PostgreSQL that a statement uses, by the tree of PostgreSQL's own parser.

A feature is a text, such as "SAVEPOINT", "row lock FOR SHARE" or "function unnest". The rules of an engine name those that it
lacks.
"""
import json

import pglast.parser

DDL = {
    "CreateStmt", "AlterTableStmt", "IndexStmt", "CreateSeqStmt", "AlterSeqStmt", "CreateFunctionStmt", "DropStmt",
    "CreateTrigStmt", "CreateExtensionStmt", "ViewStmt", "CreateSchemaStmt", "RenameStmt", "AlterFunctionStmt",
    "CreateDomainStmt", "CreateTableAsStmt", "CreateEnumStmt", "CompositeTypeStmt", "AlterOwnerStmt", "CreateStatsStmt",
}
VOLATILE = {
    "nextval", "setval", "random", "clock_timestamp", "gen_random_uuid", "timeofday", "set_config", "pg_notify",
}
SIMPLE = {
    "ListenStmt": "LISTEN", "UnlistenStmt": "LISTEN", "NotifyStmt": "NOTIFY", "DiscardStmt": "DISCARD",
    "PrepareStmt": "SQL PREPARE", "ExecuteStmt": "SQL PREPARE", "DeallocateStmt": "SQL PREPARE",
    "CreateExtensionStmt": "extension", "TruncateStmt": "TRUNCATE", "CreateTrigStmt": "trigger", "DoStmt": "DO",
    "LockStmt": "LOCK TABLE", "CopyStmt": "COPY", "IndexStmt": "CREATE INDEX", "GroupingSet": "grouping sets",
    "WindowDef": "window function", "OnConflictClause": "ON CONFLICT",
}
LOCKS = {
    "LCS_FORUPDATE": "FOR UPDATE", "LCS_FORNOKEYUPDATE": "FOR NO KEY UPDATE", "LCS_FORSHARE": "FOR SHARE",
    "LCS_FORKEYSHARE": "FOR KEY SHARE",
}
WRITES = {"InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"}
HISTORY = {"coredata_transaction", "coredata_change", "coredata_history", "coredata_history_reader"}


class Parsed:
    """What the checks need of one statement."""

    def __init__(self, text):
        self.features = set()
        self.tables = set()
        self.kinds = []
        # Pairs of a table and the columns of a deferrable unique constraint, or of an ON CONFLICT.
        self.deferrable = set()
        self.arbiters = set()
        self._written = []
        for statement in json.loads(pglast.parser.parse_sql_json(text)).get("stmts", []):
            (kind, node), = statement["stmt"].items()
            self._written = []
            self.kinds.append(kind if kind != "TransactionStmt" else node["kind"])
            self._visit(statement["stmt"], ())

    @property
    def is_ddl(self):
        return any(kind in DDL for kind in self.kinds)

    @property
    def is_control(self):
        return all(kind.startswith("TRANS_STMT_") for kind in self.kinds)

    def _visit(self, node, above):
        if isinstance(node, list):
            for item in node:
                self._visit(item, above)
        elif isinstance(node, dict):
            for kind, content in node.items():
                if not isinstance(content, (dict, list)):
                    continue
                # Tags of nodes are capitalized; fields of nodes are not, and some have a node without its tag.
                tag = {"onConflictClause": "OnConflictClause", "over": "WindowDef", "withClause": "WithClause"}.get(kind, kind)
                if isinstance(content, dict) and tag[:1].isupper():
                    if tag in SIMPLE:
                        self.features.add(SIMPLE[tag])
                    method = getattr(self, "_" + tag, None)
                    if method:
                        method(content, above)
                    self._visit(content, above + (tag,))
                else:
                    if kind == "relation" and isinstance(content, dict):
                        self._RangeVar(content, above)
                    self._visit(content, above)

    # Sessions and transactions.

    def _VariableSetStmt(self, node, above):
        if not node.get("is_local") and node.get("name") not in ("TRANSACTION", "TRANSACTION SNAPSHOT"):
            self.features.add("session setting")

    def _DeclareCursorStmt(self, node, above):
        self.features.add("cursor")
        if node.get("options", 0) & 0x20:
            self.features.add("WITH HOLD")

    def _TransactionStmt(self, node, above):
        kind = node["kind"]
        if kind in ("TRANS_STMT_SAVEPOINT", "TRANS_STMT_ROLLBACK_TO", "TRANS_STMT_RELEASE"):
            self.features.add("SAVEPOINT")
        if kind == "TRANS_STMT_PREPARE":
            self.features.add("two-phase commit")
        for option in node.get("options", []):
            if option["DefElem"]["defname"] == "transaction_isolation":
                level = option["DefElem"]["arg"]["A_Const"]["sval"]["sval"]
                self.features.add(f"isolation {level.upper()}")

    # Tables and what belongs to them.

    def _RangeVar(self, node, above):
        if "relname" in node:
            self.tables.add(node["relname"])
        if node.get("relpersistence") == "t":
            self.features.add("temporary table")

    def _Constraint(self, node, above):
        kind = node["contype"]
        name = {
            "CONSTR_PRIMARY": "primary key", "CONSTR_UNIQUE": "unique constraint", "CONSTR_FOREIGN": "foreign key",
        }.get(kind)
        if name:
            self.features.add(name)
            if node.get("deferrable"):
                self.features.add(f"deferrable {name}")
        if kind == "CONSTR_ATTR_DEFERRABLE":
            self.features.add("deferrable constraint of a column")
        if kind == "CONSTR_IDENTITY":
            self._sequence(node)

    def _AlterTableStmt(self, node, above):
        for command in node.get("cmds", []):
            constraint = command["AlterTableCmd"].get("def", {}).get("Constraint")
            if constraint and constraint["contype"] == "CONSTR_UNIQUE" and constraint.get("deferrable"):
                columns = frozenset(key["String"]["sval"] for key in constraint["keys"])
                self.deferrable.add((node["relation"]["relname"], columns))

    def _CreateSeqStmt(self, node, above):
        self._sequence(node)

    def _sequence(self, node):
        if not any(option["DefElem"]["defname"] == "cache" for option in node.get("options", [])):
            self.features.add("sequence without CACHE")

    def _ColumnDef(self, node, above):
        type_name = node.get("typeName", {})
        names = [name["String"]["sval"] for name in type_name.get("names", [])]
        if names:
            self.features.add(f"column of type {names[-1]}{'[]' if 'arrayBounds' in type_name else ''}")
        if "collClause" in node:
            self.features.add("COLLATE in CREATE TABLE")
            self._CollateClause(node["collClause"], above)

    def _CollateClause(self, node, above):
        name = node["collname"][-1]["String"]["sval"]
        if name not in ("C", "POSIX", "ucs_basic"):
            self.features.add(f"collation {name}")

    def _IndexStmt(self, node, above):
        if "whereClause" in node:
            self.features.add("partial index")
        for element in node.get("indexParams", []):
            if "expr" in element["IndexElem"]:
                self.features.add("expression index")
            if element["IndexElem"].get("ordering") in ("SORTBY_ASC", "SORTBY_DESC"):
                self.features.add("ASC or DESC in CREATE INDEX")

    def _CreateFunctionStmt(self, node, above):
        for option in node.get("options", []):
            if option["DefElem"]["defname"] == "language":
                self.features.add(f"function in {option['DefElem']['arg']['String']['sval'].lower()}")

    # Queries and writes.

    def _FuncCall(self, node, above):
        name = node["funcname"][-1]["String"]["sval"]
        self.features.add(f"function {name}")
        if "advisory" in name and name.startswith("pg_"):
            self.features.add("advisory lock")
        if name == "pg_notify":
            self.features.add("NOTIFY")
        if name == "set_config":
            last = node["args"][-1].get("A_Const", {}).get("boolval", {}).get("boolval")
            if last is not True:
                self.features.add("session setting")
        if name in VOLATILE and ("UpdateStmt" in above or "DeleteStmt" in above):
            self.features.add("volatile function in UPDATE or DELETE")

    def _A_Expr(self, node, above):
        operator = node["name"][-1]["String"]["sval"]
        if operator == "/":
            self.features.add("division")
        if operator in ("~", "~*", "!~", "!~*"):
            self.features.add("regular expression")

    def _LockingClause(self, node, above):
        self.features.add(f"row lock {LOCKS[node['strength']]}")

    def _WithClause(self, node, above):
        if node.get("recursive"):
            self.features.add("recursive CTE")

    def _CommonTableExpr(self, node, above):
        (kind, query), = node["ctequery"].items()
        if kind in WRITES:
            self.features.add("writing CTE")

    def _JoinExpr(self, node, above):
        if node.get("jointype") in ("JOIN_LEFT", "JOIN_RIGHT", "JOIN_FULL"):
            self.features.add("outer join")

    def _SubLink(self, node, above):
        known, used = set(), set()
        self._names(node["subselect"], known, used)
        if used - known:
            self.features.add("correlated subquery")

    def _names(self, node, known, used):
        """Collects the names that a query gives to its tables, and those by which columns are qualified."""
        if isinstance(node, list):
            for item in node:
                self._names(item, known, used)
        elif isinstance(node, dict):
            for kind, content in node.items():
                if kind == "alias":
                    known.add(content["aliasname"])
                elif kind in ("RangeVar", "relation") and "alias" not in content and "relname" in content:
                    known.add(content["relname"])
                elif kind == "CommonTableExpr":
                    known.add(content["ctename"])
                elif kind == "ColumnRef":
                    fields = content["fields"]
                    if len(fields) > 1:
                        used.add(fields[-2]["String"]["sval"])
                self._names(content, known, used)

    def _written_table(self, node):
        name = node["relation"]["relname"]
        if name in self._written:
            self.features.add("several writes of one table in a statement")
        self._written.append(name)

    def _InsertStmt(self, node, above):
        self._written_table(node)
        select = node.get("selectStmt", {}).get("SelectStmt", {})
        if select and "valuesLists" not in select:
            self.features.add("INSERT … SELECT")
        elif '"SubLink"' in json.dumps(select.get("valuesLists", [])):
            self.features.add("subquery in INSERT")
        clause = node.get("onConflictClause", {})
        columns = clause.get("infer", {}).get("indexElems", [])
        names = frozenset(item["IndexElem"].get("name", "") for item in columns)
        if names:
            self.arbiters.add((node["relation"]["relname"], names))

    def _UpdateStmt(self, node, above):
        self._written_table(node)
        if "fromClause" in node:
            self.features.add("UPDATE … FROM")

    def _DeleteStmt(self, node, above):
        self._written_table(node)
        if "usingClause" in node:
            self.features.add("DELETE … USING")


def features(statements, parse, deferrable):
    """Returns the findings of one transaction: pairs of a path and a feature, each with a statement that has it.

    `parse` returns the parsed form of a text; `deferrable` has the deferrable unique keys so far, and is added to.
    """
    parsed = [(statement, parse(statement.text)) for statement in statements]
    work = [item for item in parsed if not item[1].is_control]
    ddl = [item for item in work if item[1].is_ddl]
    path_of_all = None
    if ddl:
        path_of_all = "schema"
    elif any("LockStmt" in p.kinds for _, p in parsed):
        path_of_all = "exclusive"
    # Batches are the only ones to send unnamed statements that write.
    elif any(not s.is_named and (set(p.kinds) & (WRITES | {"CopyStmt"}) or "row lock FOR UPDATE" in p.features)
             and not p.tables & HISTORY for s, p in parsed):
        path_of_all = "batch"
    elif any("isolation REPEATABLE READ" in p.features for _, p in parsed) and any(
            "SAVEPOINT" in p.features for _, p in parsed):
        path_of_all = "pinned"
    found = {}
    for statement, item in parsed:
        path = path_of_all or "base"
        if path != "schema" and item.tables & HISTORY:
            path = "history"
        deferrable |= item.deferrable
        names = set(item.features)
        if item.arbiters & deferrable:
            names.add("ON CONFLICT on a deferrable key")
        for name in names:
            found.setdefault((path, name), statement.text)
    if ddl and len(work) > 1:
        found.setdefault(("schema", "DDL in a transaction"), ddl[0][0].text)
    if len(ddl) > 1:
        found.setdefault(("schema", "several DDL in a transaction"), ddl[1][0].text)
    return found
