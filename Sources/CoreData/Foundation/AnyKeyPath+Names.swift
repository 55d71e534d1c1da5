import PredicateFormat

extension AnyKeyPath {
    /// The name of the property that the key path leads to, or several names with dots between: `author.name`. nil for a key
    /// path that has none, such as one to a computed property.
    ///
    /// Published code makes sort descriptors and predicates with it. The standard library's property of that name is nil off
    /// Apple's platforms; this one is preferred to it where CoreData is imported. The first question for a key path
    /// takes a thread of its own, the later ones a look-up.
    public var _kvcKeyPathString: String? { KeyPathNaming.name(of: self) }
}
