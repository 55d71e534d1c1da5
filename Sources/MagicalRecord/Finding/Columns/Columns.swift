import CoreData

extension MagicalRecord {
    /// The properties of a class as columns, of which conditions are made.
    ///
    /// A closure that makes a condition gets this value; each property of the class is a member of it:
    /// ```swift
    /// let pals = try User.findAll(where: { $0.isFriend && $0.displayName.contains("an", .caseInsensitive) })
    /// let reds = try User.where { $0.team.name == "Red" && $0.messages.count > 3 }.findAll()
    /// ```
    /// The value itself stands for the object: `{ $0 == object }`, `{ $0.in(ids) }`.
    ///
    /// A property the class does not have is a compiler error. One that is not modelled (a computed property) is
    /// ``MagicalRecordError/Code/unnamedKeyPath`` when the condition is used.
    @dynamicMemberLookup
    public struct Columns<Root: NSManagedObject>: Sendable {
        /// Creates the columns of `Root`.
        public init() {}

        /// Returns the column of a property.
        public subscript<Value>(dynamicMember key: KeyPath<Root, Value>) -> Column<Root, Value> {
            Column(.path(KeyPathName.of(key)))
        }
    }
}

extension MagicalRecord.Columns {
    private var itself: ConditionNode.Operand { .path(.success("")) }

    /// `SELF == object`.
    public static func == (columns: Self, object: Root) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columns.itself, "==", .value(object)))
    }

    /// `SELF != object`.
    public static func != (columns: Self, object: Root) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columns.itself, "!=", .value(object)))
    }

    /// `SELF == id`: the object with that ID.
    public static func == (columns: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columns.itself, "==", .constant(id)))
    }

    /// `SELF != id`: every object but that with that ID.
    public static func != (columns: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columns.itself, "!=", .constant(id)))
    }

    /// Returns the condition `SELF IN objects`.
    public func `in`(_ objects: some Sequence<Root>) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(itself, "IN", .values(objects)))
    }

    /// Returns the condition `SELF IN ids`, for the objects with these IDs.
    public func `in`(_ ids: some Sequence<NSManagedObjectID>) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(itself, "IN", .list(Array(ids))))
    }
}
