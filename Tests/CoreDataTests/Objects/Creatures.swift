import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A model whose objects note what happens to them.
///
/// `Creature` ⟷ `Keeper` (many to one, nullify), `Creature` → `Part` (cascades), `Creature` ⟷ `Creature` friends (many to
/// many), `Keeper` ⟷ ordered `Toy`.
enum CreatureModel {
    static func make() -> NSManagedObjectModel {
        let creature = LibraryModel.entity("Creature"), keeper = LibraryModel.entity("Keeper")
        let part = LibraryModel.entity("Part"), toy = LibraryModel.entity("Toy")
        creature.managedObjectClassName = "CoreDataTests.Creature"
        creature.properties = [
            LibraryModel.attribute("name", .stringAttributeType),
            LibraryModel.attribute("age", .integer32AttributeType, default: 1),
            LibraryModel.attribute("mood", .stringAttributeType, transient: true),
        ]
        keeper.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        part.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        toy.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.relate(keeper, "creatures", many: true, creature, "keeper", many: false)
        LibraryModel.relate(creature, "parts", many: true, part, "creature", many: false, rule: .cascadeDeleteRule)
        LibraryModel.relate(creature, "friends", many: true, creature, "friendOf", many: true)
        LibraryModel.relate(keeper, "toys", many: true, toy, "keeper", many: false, ordered: true)
        let model = NSManagedObjectModel()
        model.entities = [creature, keeper, part, toy]
        return model
    }
}

/// What happened to the creatures of one context, in order.
final class Journal {
    var lines: [String] = []
    var onWillSave: ((Creature) -> Void)?
    var onDidSave: ((Creature) -> Void)?
    var onAwakeFromFetch: ((Creature) -> Void)?
    var onDeletion: ((Creature) -> Void)?
    var onValidation: ((Creature) throws -> Void)?
    var onTurningIntoFault: ((Creature) -> Void)?

    /// Gives the lines noted since the last time.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

final class Creature: NSManagedObject, @unchecked Sendable {
    private var journal: Journal? { managedObjectContext?.userInfo["journal"] as? Journal }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        journal?.lines.append("awakeFromInsert \(isInserted) \(value(forKey: "age") ?? "nil")")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        journal?.lines.append("awakeFromFetch")
        journal?.onAwakeFromFetch?(self)
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        journal?.lines.append("awake \(flags.rawValue)")
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        journal?.lines.append("prepareForDeletion")
        journal?.onDeletion?(self)
    }
    override func willSave() {
        super.willSave()
        journal?.lines.append("willSave")
        journal?.onWillSave?(self)
    }
    override func didSave() {
        super.didSave()
        journal?.lines.append("didSave \(isDeleted)")
        journal?.onDidSave?(self)
    }
    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        journal?.onTurningIntoFault?(self)
        journal?.lines.append("willTurnIntoFault \(isFault)")
    }
    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        journal?.lines.append("didTurnIntoFault \(isFault)")
    }
    override func validateForInsert() throws {
        try super.validateForInsert()
        journal?.lines.append("validateForInsert")
        try journal?.onValidation?(self)
    }
    override func validateForUpdate() throws {
        try super.validateForUpdate()
        journal?.lines.append("validateForUpdate")
        try journal?.onValidation?(self)
    }
    override func validateForDelete() throws {
        try super.validateForDelete()
        journal?.lines.append("validateForDelete")
        try journal?.onValidation?(self)
    }
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        // A rule of the class: names have no blanks at their ends.
        if key == "name", let name = value as? String {
            value = name.trimmingCharacters(in: .whitespaces)
        }
        try super.validateValue(&value, forKey: key)
    }
    override func value(forUndefinedKey key: String) -> Any? {
        key == "shout" ? (value(forKey: "name") as? String)?.uppercased() : super.value(forUndefinedKey: key)
    }
}

/// A context full of creatures, and what it notes.
struct Zoo {
    let library: Library
    let journal = Journal()
    var context: NSManagedObjectContext { library.context }

    init(store: StoreKind = .memory) throws {
        library = try Library(CreatureModel.make(), store: store)
        library.context.userInfo["journal"] = journal
    }

    /// A saved creature, realised.
    func saved(_ name: String = "cat") throws -> Creature {
        let creature = try #require(context.insert("Creature", ["name": name]) as? Creature)
        try context.save()
        _ = journal.take()
        return creature
    }
}
