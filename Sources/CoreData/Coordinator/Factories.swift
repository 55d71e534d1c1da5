// The initializers for `self.init(…)` in static functions of extensions.

// On Apple's platforms a class value can be used with any initializer that Objective-C knows. In Swift that requires a required
// initializer, which every subclass with another initializer would have to override. Initializers in extensions of protocols
// that are not class-bound may assign `self`, so they can be used instead if the class value is the class itself.

/// A class that static functions of extensions can instantiate by `self.init(…)`.
public protocol _InitializedByClassValue {}

extension _InitializedByClassValue where Self: NSObject {
    fileprivate static func checked(_ object: NSObject) -> Self {
        guard let object = object as? Self else {
            preconditionFailure(
                "self.init(…) of the subclass \(Self.self) cannot be called through a class value off Apple. Name the class: \(Self.self)(…)."
            )
        }
        return object
    }
}

extension NSPersistentStoreCoordinator: _InitializedByClassValue {}
extension NSManagedObjectContext: _InitializedByClassValue {}
extension NSPersistentContainer: _InitializedByClassValue {}
extension NSManagedObjectModel: _InitializedByClassValue {}
extension NSEntityDescription: _InitializedByClassValue {}
extension NSPropertyDescription: _InitializedByClassValue {}
extension NSPersistentStoreDescription: _InitializedByClassValue {}

extension _InitializedByClassValue where Self: NSPersistentStoreCoordinator {
    /// Creates a coordinator without stores. The model becomes immutable.
    public init(managedObjectModel model: NSManagedObjectModel) {
        self = Self.checked(NSPersistentStoreCoordinator(managedObjectModel: model))
    }
}

extension _InitializedByClassValue where Self: NSManagedObjectContext {
    /// Creates a context without coordinator or parent.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        self = Self.checked(NSManagedObjectContext(concurrencyType: ct))
    }
}

extension _InitializedByClassValue where Self: NSPersistentContainer {
    /// Creates a container with the model of that name.
    public init(name: String) { self = Self.checked(NSPersistentContainer(name: name)) }

    /// Creates a container with a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self = Self.checked(NSPersistentContainer(name: name, managedObjectModel: model))
    }
}

extension _InitializedByClassValue where Self: NSManagedObjectModel {
    /// Creates an empty model.
    public init() { self = Self.checked(NSManagedObjectModel()) }

    /// Reads a compiled model. Returns nil if there is none at the URL.
    public init?(contentsOf url: URL) {
        guard let model = NSManagedObjectModel(contentsOf: url) else { return nil }
        self = Self.checked(model)
    }
}

extension _InitializedByClassValue where Self: NSPersistentStoreDescription {
    /// Creates the description of a SQLite store.
    public init(url: URL) { self = Self.checked(NSPersistentStoreDescription(url: url)) }
}

extension _InitializedByClassValue where Self: NSEntityDescription {
    /// Creates an editable entity without a name.
    public init() { self = Self.checked(NSEntityDescription()) }
}

extension _InitializedByClassValue where Self: NSPropertyDescription {
    /// Creates an editable property of this class without a name.
    public init() {
        let made: NSPropertyDescription =
            switch Self.self as Any.Type {
            case is NSDerivedAttributeDescription.Type: NSDerivedAttributeDescription()
            case is NSCompositeAttributeDescription.Type: NSCompositeAttributeDescription()
            case is NSAttributeDescription.Type: NSAttributeDescription()
            case is NSRelationshipDescription.Type: NSRelationshipDescription()
            case is NSFetchedPropertyDescription.Type: NSFetchedPropertyDescription()
            case is NSExpressionDescription.Type: NSExpressionDescription()
            default: NSPropertyDescription()
            }
        self = Self.checked(made)
    }
}
