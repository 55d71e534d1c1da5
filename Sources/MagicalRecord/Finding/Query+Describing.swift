import CoreData

extension MagicalRecord.Query: CustomStringConvertible {
    /// The entity, the condition as a format string, the order and the limits: `User where isFriend == 1 sorted by displayName
    /// ascending, limit 20, offset 40`.
    public var description: String {
        var text = entityName ?? EntityLookup.name(of: type)
        if let condition { text += " where \(condition)" }
        if !order.isEmpty { text += " sorted by \(order)" }
        if let limit { text += ", limit \(limit)" }
        if let offset, offset > 0 { text += ", offset \(offset)" }
        return text
    }
}
