extension NSEntityDescription: EntityTraits {
    package final func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault {
        guard let attribute = cell.attribute else { return .none }
        switch attribute.storedDefault {
        case .none, .object: return AttributeDefault(attribute.defaultValue)
        case .flag, .integer, .double: return attribute.storedDefault
        }
    }
}
