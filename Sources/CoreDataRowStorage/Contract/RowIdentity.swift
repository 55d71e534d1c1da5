/// The row that an object, or its ID, identifies in a predicate or a batch value.
package struct RowIdentity {
    /// The store's UUID.
    package var storeUUID: String
    /// The layout of the row's entity in the object's model.
    package var layout: EntityLayout
    package var key: Int64

    package init(storeUUID: String, layout: EntityLayout, key: Int64) {
        self.storeUUID = storeUUID
        self.layout = layout
        self.key = key
    }
}

/// An object of the graph that identifies a row, of any class.
package protocol RowIdentified {
    /// The identity; nil while the object is not saved.
    var rowIdentity: RowIdentity? { get }
}

/// An object of the graph that identifies an entity.
package protocol EntityNamed {
    /// The name; nil while the entity has none.
    var entityName: String? { get }
}
