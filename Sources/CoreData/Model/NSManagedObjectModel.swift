import CoreDataRuntimeSupport
import Foundation
import ModelFormat

/// A set of entities, with configurations and fetch request templates.
///
/// Thread rule: edited on one thread at a time until first used by a coordinator, immutable and readable from any
/// thread after that. Editing later traps ("Can't modify an immutable model."); a copy is editable.
open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Hints for developers; matching of models and stores never uses them.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { willEdit() } }

    final var storedEntities: [NSEntityDescription] = []
    final var configurationEntities: [String: [NSEntityDescription]] = [:]
    final var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    final let localization = ModelLocalization()
    /// The versioned bundles (`.momd`, `.xcdatamodeld`) the model was read from; nil if part of it was not read from one.
    final var versionBundles: Set<URL>?
    /// Whether the model can no longer be edited. Written once, under the lock.
    final private(set) var isFrozen = false
    private final let freezing = NSRecursiveLock()
    /// The lock of the caches of a frozen model.
    final let memory = Lock()
    final var knownHashes: [String: Data]?
    /// The version hashes read along with the model.
    final var readHashes: EntityHashes?
    /// Entity names by the address of the class.
    final var entityNamesByClass: [Int: String] = [:]
    /// The storage for the layouts that coordinators derive from a frozen model; see ``layouts``.
    final let layoutsCell = LayoutsCell()

    /// Creates an empty, editable model.
    public override init() {
        super.init()
        handle.set(self)
        LoadedModels.add(self)
    }

    deinit { handle.clear() }

    /// The weak reference to this model that entities use.
    final let handle = WeakHandle<NSManagedObjectModel>()

    // MARK: Entities

    /// The entities. Setting traps if one of them belongs to another model, or if two have the same name.
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set {
            willEdit()
            var names = NameSet(minimumCapacity: newValue.count)
            for entity in newValue {
                precondition(
                    entity.model == nil || entity.model === self,
                    "The entity \"\(entity.name ?? "(null)")\" belongs to another model. Copy it first.")
                precondition(
                    entity.name.map { names.insert($0) } ?? true,
                    "The model has two entities named \"\(entity.name ?? "(null)")\".")
            }
            for entity in storedEntities { entity.model = nil }
            for entity in newValue { entity.model = self }
            storedEntities = newValue
            for entity in newValue { entity.resolveNames { name in newValue.first { $0.name == name } } }
        }
    }

    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        isFrozen ? frozenNames.value { NameTable(storedEntities) }.entities : Self.byName(storedEntities)
    }

    /// Returns the entity with a name, without building ``entitiesByName``.
    final func entity(named name: String) -> NSEntityDescription? {
        // Layouts include all subentities of the model's entities, even those that are not in the model.
        if let entity = layoutsCell.known?.byName[name]?.entity, entity.model === self, entity.name == name {
            return entity
        }
        return storedEntities.first { $0.name == name }
    }

    // MARK: Configurations

    /// The names of the configurations, sorted. The default configuration of all entities has no name.
    open var configurations: [String] { configurationEntities.keys.sorted() }

    /// Returns the entities of a configuration, or nil for an unknown one.
    ///
    /// nil means all entities, and so do `PF_DEFAULT_CONFIGURATION_NAME` and `Default` unless the model defines
    /// configurations of these names.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration = definedConfiguration(configuration) else { return storedEntities }
        return configurationEntities[configuration]
    }

    /// Returns the name, or nil if it denotes all entities.
    final func definedConfiguration(_ name: String?) -> String? {
        guard let name else { return nil }
        return configurationEntities[name] == nil && Self.meansAllEntities(name) ? nil : name
    }

    /// Returns the name if the model defines a configuration of that name; otherwise nil, which denotes all entities.
    final func usedConfiguration(_ name: String?) -> String? {
        name.flatMap { configurationEntities[$0] == nil ? nil : $0 }
    }

    /// Returns whether a name denotes all entities in models that do not define a configuration of that name.
    static func meansAllEntities(_ name: String?) -> Bool {
        name == nil || name == defaultConfigurationName || name == "Default"
    }

    /// Defines or replaces a configuration. Traps if an entity is not in the model.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        willEdit()
        for entity in entities {
            precondition(
                entity.model === self,
                "The entity \"\(entity.name ?? "(null)")\" is not in the model; add it before using it in the "
                    + "configuration \"\(configuration)\".")
        }
        configurationEntities[configuration] = entities
    }

    /// The localized texts by keys like `Entity/NAME`, `Property/NAME/Entity/NAME`, `Property/NAME` and
    /// `ErrorString/TEXT`. Used in messages of validation errors.
    ///
    /// Unless set, these are the texts of the strings file beside the model's file, read on first access: for `Name.momd`,
    /// `NameModel.strings` or `Name.strings` in the folder of the user's language (`de.lproj`) or in the model's folder.
    open var localizationDictionary: [String: String]? {
        get { localization.texts }
        set {
            willEdit()
            localization.set(newValue)
        }
    }

    // MARK: Freezing

    /// Makes the model immutable. May be called on any thread, and repeatedly: only the first call visits all properties.
    func freeze() {
        freezing.lock()
        defer { freezing.unlock() }
        guard !isFrozen else { return }
        for entity in storedEntities { entity.freeze() }
        for template in templates.values { template.isFrozen = true }
        isFrozen = true
    }

    /// A frozen model's entities by name, built on first access.
    private final let frozenNames = MadeOnce<NameTable>()

    private final class NameTable: Sendable {
        let entities: [String: NSEntityDescription]

        init(_ all: [NSEntityDescription]) { entities = NSManagedObjectModel.byName(all) }
    }

    /// Traps if the model is frozen.
    func willEdit() {
        guard isFrozen else { return forgetHashes() }
        fatalError("Can't modify an immutable model. Edit a copy, before the model is used by a coordinator.")
    }

    /// The framework's internal name of the default configuration, which has all entities.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    private static func byName(_ entities: [NSEntityDescription]) -> [String: NSEntityDescription] {
        var byName = [String: NSEntityDescription](minimumCapacity: entities.count)
        for entity in entities {
            if let name = entity.name, byName[name] == nil { byName[name] = entity }
        }
        return byName
    }

    // MARK: NSSecureCoding

    /// True: models can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Reads the model from an archive. Returns nil, and sets the coder's error, if the archive has none.
    public required convenience init?(coder: NSCoder) {
        self.init()
        guard coder.succeeds(fill(from:)) else { return nil }
    }

    /// Archives the model in its compiled form. Archives that Apple's framework wrote have other keys and cannot be read.
    open func encode(with coder: NSCoder) { encodeCompiled(with: coder) }

    // MARK: NSObject

    /// Returns an editable deep copy of the model.
    open func copy(with zone: NSZone? = nil) -> Any {
        ModelCopier.copy(of: [self])
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return self === other
            || (entitiesByName == other.entitiesByName && configurations == other.configurations
                && configurations.allSatisfy { name in
                    Set(entities(forConfigurationName: name) ?? [])
                        == Set(other.entities(forConfigurationName: name) ?? [])
                } && templates == other.templates)
    }

    open override var hash: Int { Set(storedEntities.map(\.name)).hashValue }

    open override var description: String {
        "(<NSManagedObjectModel>) isEditable \(isFrozen ? 0 : 1), entities {\n"
            + storedEntities.map { "    \($0)" }.sorted().joined(separator: "\n")
            + "\n}, fetch request templates {\(templates.keys.sorted().joined(separator: ", "))}"
    }
}
