/// The kinds of predicate objects.
package enum PredicateForm {
    case constant, comparison, and, or, not, opaque

    package init(_ node: PredicateNode) {
        self =
            switch node {
            case .constant: .constant
            case .comparison: .comparison
            case .and: .and
            case .or: .or
            case .not: .not
            case .opaque: .opaque
            }
    }
}
