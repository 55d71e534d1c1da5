import PredicateFormat

extension AnyKeyPath {
    /// The name of the property that the key path refers to, or several names separated by dots: `author.name`. nil for a key
    /// path without names, such as one to a computed property.
    ///
    /// Published code creates sort descriptors and predicates with it. The standard library's property of that name is nil off
    /// Apple's platforms; this one takes precedence where CoreData is imported. The first access for a key path costs a thread,
    /// later ones a lookup.
    public var _kvcKeyPathString: String? { KeyPathNaming.name(of: self) }
}
