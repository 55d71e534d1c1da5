/// One change, applied both to a store and to the scene that is expected afterwards.
public enum Step: Sendable {
    /// The insertion of an object. Its key is unique within a case.
    case insert(_ entity: String, _ key: String, _ values: [String: Value])
    /// The insertion of an object that conflicts with an existing one by its key and uniqueness constraint. The existing object
    /// takes its values.
    case upsert(_ entity: String, _ key: String, _ values: [String: Value])
    case set(_ key: String, _ attribute: String, _ value: Value)
    /// The assignment of a relationship's destinations, in this order.
    case link(_ key: String, _ relationship: String, _ destinations: [String])
    case delete(_ key: String)
    case save(by: String)
}
