import ModelFormat

/// One thing that a class says about a part of its model: the type of an attribute, a delete rule, a unique key.
struct Fact<Target> {
    /// The name of the fact in messages: `type`, `delete rule`.
    let name: String
    /// The stated value in messages.
    let stated: String
    /// The location in the sources.
    let place: SourcePlace
    /// True if the fact follows from the Swift type of a property, which the build checks by itself.
    var isImplied = false
    /// True if a difference is only noted, and the model stays as it is.
    var isNoted = false
    /// Returns the value in the model, for messages.
    let current: (Target) -> String
    /// Returns whether the model says the same.
    let holds: (Target) -> Bool
    /// Changes the model.
    let apply: (inout Target) -> Void

    /// Creates a fact about a property of the target.
    init<Value: Equatable>(
        _ name: String, _ value: Value, _ place: SourcePlace, at path: WritableKeyPath<Target, Value>,
        show: @escaping (Value) -> String
    ) {
        self.init(
            name, stated: show(value), place, current: { show($0[keyPath: path]) },
            holds: { $0[keyPath: path] == value }, apply: { $0[keyPath: path] = value })
    }

    init(
        _ name: String, stated: String, _ place: SourcePlace, isImplied: Bool = false,
        current: @escaping (Target) -> String, holds: @escaping (Target) -> Bool,
        apply: @escaping (inout Target) -> Void
    ) {
        self.name = name
        self.stated = stated
        self.place = place
        self.isImplied = isImplied
        self.current = current
        self.holds = holds
        self.apply = apply
    }

    static func flag(
        _ name: String, _ value: Bool, _ place: SourcePlace, at path: WritableKeyPath<Target, Bool>
    ) -> Fact { Fact(name, value, place, at: path) { $0 ? "true" : "false" } }

    static func text(
        _ name: String, _ value: String, _ place: SourcePlace, at path: WritableKeyPath<Target, String?>
    ) -> Fact { Fact(name, value, place, at: path) { $0.map { "\"\($0)\"" } ?? "none" } }

    /// Returns a fact for each entry of a user info.
    static func userInfo(
        _ entries: [String: String], _ place: SourcePlace, at path: WritableKeyPath<Target, [String: ModelValue]>
    ) -> [Fact] {
        entries.sorted(byText: \.key).map { key, value in
            Fact(
                "user info \(key)", stated: "\"\(value)\"", place,
                current: { $0[keyPath: path][key]?.string.map { "\"\($0)\"" } ?? "none" },
                holds: { $0[keyPath: path][key] == .string(value) },
                apply: { $0[keyPath: path][key] = .string(value) })
        }
    }
}

/// A managed object class as an entity: what its declaration and its statements say.
struct EntityClass {
    /// The path of the class.
    var path: [String]
    /// The class as spelled in models: `.Book`, or the Objective-C name.
    var className: String
    var entityName: String
    /// The name of the parent entity.
    var parentName: String?
    var place: SourcePlace
    var facts: [Fact<Entity>] = []
    var attributes: [ClassProperty<Attribute>] = []
    var relationships: [ClassProperty<Relationship>] = []
    /// The composite types of its attributes.
    var composites: [CompositeType] = []
    /// The name in the previous version.
    var renamedFrom: String?
}

/// A property of a class as one of its entity.
struct ClassProperty<Description> {
    var name: String
    /// The property as a new one is written, before the facts.
    var initial: Description
    var facts: [Fact<Description>] = []
    /// The location of the name.
    var place: SourcePlace
    /// The name in the previous version.
    var renamedFrom: String?
    /// The type as written.
    var typeText: String
    /// True if the property has the wrapper `@Stored`, which builds do not check otherwise.
    var isStored = false
}
