/// The kinds of predicate objects there are.
enum PredicateForm {
    case constant, comparison, and, or, not, opaque

    init(_ node: PredicateNode) {
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
