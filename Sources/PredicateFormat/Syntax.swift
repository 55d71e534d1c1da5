// The syntax tree and the parser are a separate module, since build tools need nothing else.
@_exported public import PredicateSyntax
