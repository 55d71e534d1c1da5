import Foundation

/// Finds key paths that lead nowhere before a query runs, so that they give an error.
struct KeyPathCheck {
    private let layout: EntityLayout
    private let layouts: ModelLayouts

    init(_ layout: EntityLayout, _ layouts: ModelLayouts) {
        self.layout = layout
        self.layouts = layouts
    }

    func check(_ predicate: NSPredicate) throws { try check(predicate.node) }

    func check(_ expression: ExpressionObject) throws { try check(expression.node) }

    func check(_ descriptor: NSSortDescriptor) throws {
        guard let key = descriptor.key else { return }
        try check(path: key.split(separator: ".").map(String.init))
    }

    private func check(_ node: PredicateNode) throws {
        switch node {
        case .constant, .opaque: return
        case .comparison(let comparison):
            if comparison.comparison == .customSelector { throw SQLUnsupported.selector(node) }
            try check(comparison.left)
            try check(comparison.right)
        case .and(let nodes), .or(let nodes): try nodes.forEach(check)
        case .not(let node): try check(node)
        }
    }

    /// Checks the paths that start at the evaluated object. What starts at a subquery's variable is of another entity and
    /// gives nil where it leads nowhere.
    private func check(_ node: ExpressionNode) throws {
        switch node {
        case .keyPath(let keys, of: .evaluatedObject): try check(path: keys)
        case .keyPath(_, of: let base): try check(base)
        case .function(_, let arguments), .aggregate(let arguments), .block(_, let arguments):
            for argument in arguments { try check(argument) }
        case .message(let target, _, let arguments):
            for part in [target] + arguments { try check(part) }
        case .set(_, let left, let right):
            try check(left)
            try check(right)
        case .subquery(let collection, variable: _, let predicate):
            try check(collection)
            try refuseSelectors(in: predicate)
        case .conditional(let predicate, let yes, let no):
            try check(predicate)
            try check(yes)
            try check(no)
        case .assignment(variable: _, let value): try check(value)
        case .constant, .evaluatedObject, .variable, .fetch, .symbolicIndex, .anyKey: return
        }
    }

    private func refuseSelectors(in node: PredicateNode) throws {
        switch node {
        case .comparison(let comparison):
            if comparison.comparison == .customSelector { throw SQLUnsupported.selector(node) }
        case .and(let nodes), .or(let nodes): try nodes.forEach(refuseSelectors)
        case .not(let node): try refuseSelectors(in: node)
        case .constant, .opaque: return
        }
    }

    /// - Throws: An error in the words of Apple's exception when a key of the path is no property of the model.
    func check(path: [String]) throws {
        var current = layout
        for key in path where !key.hasPrefix("@") {
            if ["self", "SELF", "objectID"].contains(key) { continue }
            guard let owner = owner(of: key, from: current) else {
                throw StoreErrors.invalidRequest(
                    "keypath \(path.joined(separator: ".")) not found in entity \(layout.name)", entity: layout,
                    key: key)
            }
            switch owner.members[key] {
            case .cell(let index):
                guard let relationship = owner.cells[index].relationship else { return }
                guard let next = relationship.destinationEntity?.name.flatMap({ layouts.byName[$0] }) else { return }
                current = next
            case .toMany(let index):
                guard let next = layouts.byNumber[owner.relationships[index].destinationNumber] else { return }
                current = next
            default: return
            }
        }
    }

    /// The entity itself or one below it that has the property.
    private func owner(of key: String, from layout: EntityLayout) -> EntityLayout? {
        if layout.members[key] != nil { return layout }
        return layout.familyNumbers.lazy.compactMap { layouts.byNumber[$0] }.first { $0.members[key] != nil }
    }
}
