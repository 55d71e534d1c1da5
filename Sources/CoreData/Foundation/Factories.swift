// What `self.init(…)` means in static functions of extensions.

// On Apple's platforms a class value can be called with any initializer that Objective-C knows. In Swift that takes a required
// one, which every subclass with an initializer of its own would have to repeat. Initializers of protocols that are not
// class-bound may assign `self`, and so stand in where the class value is the class itself.

/// Lets static functions of extensions make objects by `self.init(…)`.
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
    /// Makes a coordinator without stores. The model becomes immutable.
    public init(managedObjectModel model: NSManagedObjectModel) {
        self = Self.checked(NSPersistentStoreCoordinator(managedObjectModel: model))
    }
}

extension _InitializedByClassValue where Self: NSManagedObjectContext {
    /// Makes a context without coordinator or parent.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        self = Self.checked(NSManagedObjectContext(concurrencyType: ct))
    }
}

extension _InitializedByClassValue where Self: NSPersistentContainer {
    /// Makes a container with the model of that name.
    public init(name: String) { self = Self.checked(NSPersistentContainer(name: name)) }

    /// Makes a container of a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self = Self.checked(NSPersistentContainer(name: name, managedObjectModel: model))
    }
}

extension _InitializedByClassValue where Self: NSManagedObjectModel {
    /// Makes an empty model.
    public init() { self = Self.checked(NSManagedObjectModel()) }

    /// Reads a compiled model; nil if there is none at the URL.
    public init?(contentsOf url: URL) {
        guard let model = NSManagedObjectModel(contentsOf: url) else { return nil }
        self = Self.checked(model)
    }
}

extension _InitializedByClassValue where Self: NSPersistentStoreDescription {
    /// A description of a SQLite store.
    public init(url: URL) { self = Self.checked(NSPersistentStoreDescription(url: url)) }
}

extension _InitializedByClassValue where Self: NSEntityDescription {
    /// An editable entity without a name.
    public init() { self = Self.checked(NSEntityDescription()) }
}

extension _InitializedByClassValue where Self: NSPropertyDescription {
    /// An editable property without a name, of the class that is asked.
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
