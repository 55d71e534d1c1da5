import CoreData

/// Stores an enumeration, or a `Codable` value, in an attribute of a managed object.
///
/// ```swift
/// enum Progress: Int { case open, doing, done }
/// struct Address: Codable { var street: String, city: String }
///
/// final class Job: NSManagedObject {
///     @NSManaged var title: String
///     @Stored("progress") var progress: Progress = .open
///     @Stored("address") var address: Address?
/// }
/// ```
/// The argument is the attribute's name in the model. The attribute's type says how a value is stored:
///
/// | Type of the property | Attribute | Stored as |
/// | --- | --- | --- |
/// | enumeration or another type with a raw value | number or String, as the raw value | raw value |
/// | `Codable` | Binary Data or String | JSON with sorted keys |
/// | `Codable` | Composite | a value for each member |
///
/// A type that is both has its raw value stored. Enumerations need no conformance: conditions, orders and groups take the property
/// as they take numbers and texts, as in `Job.findAll(where: { $0.progress == .open })`.
///
/// A property that is not optional has an initial value. It is read where nothing is stored, but not stored itself, so a condition
/// does not find it there: give the attribute the same default value in the model. An optional property begins as the attribute's
/// default value, or nil.
///
/// A raw value without a case and JSON that cannot be decoded read as nil or as the initial value; `values(of:)` and groups, such as
/// `count(by:)`, throw ``MagicalRecordError/Code/unconvertibleValue`` for such a raw value. MagicalRecord's log reports each value of
/// an attribute once: by its length and its first 200 bytes, and again after 1000 others. The value stays in the store until the
/// property is set. A value with the JSON of the present one is not set, so the object stays clean; equal sets may differ in the
/// order of their JSON.
///
/// Setting a value that cannot be encoded, a raw value outside the range of an integer attribute, a value that does not fit a member
/// of a composite attribute, or an attribute of any other type, stops the program. Each access decodes or encodes the value. The
/// property belongs on the queue of its object's context.
@propertyWrapper
public struct Stored<Value> {
    let key: String
    /// The value that is read where none is stored.
    let initial: Value
    let coding: any StoredCoding.Type

    private init(_ key: String, _ initial: Value, _ coding: any StoredCoding.Type) {
        (self.key, self.initial, self.coding) = (key, initial, coding)
        StoredProperties.note(key, coding, Value.self)
    }

    /// Unavailable: only managed objects have stored properties.
    @available(*, unavailable, message: "@Stored is for properties of subclasses of NSManagedObject")
    public var wrappedValue: Value {
        get { fatalError("@Stored(\"\(key)\") is no property of a managed object.") }
        set { fatalError("@Stored(\"\(key)\") is no property of a managed object.") }
    }

    /// Accesses the property of an object, for the compiler.
    public static subscript<Owner: NSManagedObject>(
        _enclosingInstance object: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Stored<Value>>
    ) -> Value {
        get { object[keyPath: storage].value(of: object) }
        set { object[keyPath: storage].set(newValue, of: object) }
    }
}

// Types with a raw value. These initializers precede those for `Codable`.

extension Stored {
    /// Creates a property that is stored as its raw value.
    public init(wrappedValue: Value, _ key: String)
    where Value: RawRepresentable, Value.RawValue: MagicalRecord.PredicateValue & MagicalRecord.AttributeValue {
        self.init(key, wrappedValue, RawStoring<Value>.self)
    }

    /// Creates an optional property that is stored as its raw value.
    public init<Raw: RawRepresentable>(_ key: String)
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue & MagicalRecord.AttributeValue {
        self.init(key, nil, RawStoring<Raw>.self)
    }

    /// Creates an optional property, which begins as nil, that is stored as its raw value. Stops the program for any other value.
    public init<Raw: RawRepresentable>(wrappedValue: Raw?, _ key: String)
    where Value == Raw?, Raw.RawValue: MagicalRecord.PredicateValue & MagicalRecord.AttributeValue {
        if wrappedValue != nil { Self.failOnInitialValue(key) }
        self.init(key)
    }

    private static func failOnInitialValue(_ key: String) -> Never {
        fatalError(
            "The optional property @Stored(\"\(key)\") has an initial value, which would be read in place of nil. Give the attribute a default value in the model."
        )
    }
}

extension Stored {
    /// Creates a property that is stored as JSON, or in the members of a composite attribute.
    @_disfavoredOverload
    public init(wrappedValue: Value, _ key: String) where Value: Codable {
        self.init(key, wrappedValue, DocumentStoring<Value>.self)
    }

    /// Creates an optional property that is stored as JSON, or in the members of a composite attribute.
    @_disfavoredOverload
    public init<Document: Codable>(_ key: String) where Value == Document? {
        self.init(key, nil, DocumentStoring<Document>.self)
    }

    /// Creates an optional property, which begins as nil, that is stored as JSON. Stops the program for any other value.
    @_disfavoredOverload
    public init<Document: Codable>(wrappedValue: Document?, _ key: String) where Value == Document? {
        if wrappedValue != nil { Self.failOnInitialValue(key) }
        self.init(key)
    }
}
