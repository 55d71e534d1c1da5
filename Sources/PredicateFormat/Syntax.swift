// The language as a value and its parser are a module of their own, since the tool of builds needs no more.
@_exported public import PredicateSyntax
