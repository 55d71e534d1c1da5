import Foundation

/// Finds key paths of sort orders and columns that lead nowhere before a query runs, so that they give an error.
struct KeyPathCheck {
    let layout: EntityLayout
    let layouts: ModelLayouts

    init(_ layout: EntityLayout, _ layouts: ModelLayouts) {
        self.layout = layout
        self.layouts = layouts
    }

    func check(_ descriptor: NSSortDescriptor) throws {
        guard let key = descriptor.key else { return }
        try check(path: key.split(separator: ".").map(String.init))
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
