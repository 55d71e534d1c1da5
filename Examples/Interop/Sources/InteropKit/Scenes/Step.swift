/// One step of what is done to a store, and to the expectation of what is in it afterwards.
public enum Step: Sendable {
    /// Makes an object. Its key is unique within a case.
    case insert(_ entity: String, _ key: String, _ values: [String: Value])
    /// Makes an object with the key and the constraint's values of one that is there, which takes on its values.
    case upsert(_ entity: String, _ key: String, _ values: [String: Value])
    case set(_ key: String, _ attribute: String, _ value: Value)
    /// Has a relationship lead to these objects, in this order, and to no others.
    case link(_ key: String, _ relationship: String, _ destinations: [String])
    case delete(_ key: String)
    case save(by: String)
}
