import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// Finds the classes named by models.
///
/// Off Apple's platforms the runtime knows a class only as `Module.Class`, while models also use `Class` or `.Class`. The
/// registry searches classes registered under a name (by generated code), then those the program has used so far (by creating
/// an object or a request), then all top-level classes of the program's modules, in any of its binaries. If several modules
/// have a class of the name, the classes are chosen in this order, and then the module with the program's name. If several
/// still match, the name is ambiguous: write `Module.Class` in the model, or register the class.
public enum ManagedObjectClassRegistry {
    private struct State {
        var classes: [String: NSManagedObject.Type] = [:]
        /// The classes the program has used, by their names without a module.
        var noted: [String: [NSManagedObject.Type]] = [:]
        /// The addresses of these classes.
        var notedAddresses = Set<Int>(minimumCapacity: 12)
        /// A counter incremented whenever a lookup that failed might succeed now.
        var generation = 0
    }

    private static let state = Locked(State())
    /// The address of the class noted last.
    private static let lastNoted = Atomic<Int>(0)

    /// Registers a class under the name that a model uses for it.
    public static func register(_ type: NSManagedObject.Type, named name: String) {
        state.withLock { state in
            state.classes[name] = type
            state.generation += 1
        }
        note(type)
    }

    /// Returns the managed object class that a model names `Name`, `.Name` or `Module.Name`. nil if the program has none, or if
    /// the name is ambiguous: several modules have one, and the program has used none of them so far.
    ///
    /// Replaces `NSClassFromString(entity.managedObjectClassName)`, which off Apple's platforms finds only `Module.Name`. Costs
    /// a runtime lookup.
    public static func managedObjectClass(named name: String) -> NSManagedObject.Type? { resolve(name).type }

    /// Adds a class to those the program has used.
    package static func note(_ type: NSManagedObject.Type) {
        // Called for every fetch request; determining a class's name costs microseconds.
        let address = Int(bitPattern: ObjectIdentifier(type))
        guard lastNoted.load(ordering: .relaxed) != address else { return }
        lastNoted.store(address, ordering: .relaxed)
        guard state.withLock({ $0.notedAddresses.insert(address).inserted }) else { return }
        let name = ProgramClasses.bareName(fullName(type))
        state.withLock { state in
            state.noted[name, default: []].append(type)
            state.generation += 1
        }
    }

    /// Returns whether a class was registered under a name, which may differ from the class's name.
    static func isRegistered(_ name: String) -> Bool {
        let bare = ProgramClasses.bareName(name)
        return state.withLock { $0.classes[name] != nil || $0.classes[bare] != nil }
    }

    /// A counter that changes when classes are registered, used or loaded.
    static var generation: Int { state.withLock { $0.generation } + ProgramClasses.imageCount }

    /// Returns the class of a name, if there is one. Costs a runtime lookup; callers cache the result.
    static func resolve(_ name: String) -> ClassAnswer {
        if name == "NSManagedObject" { return .found(NSManagedObject.self) }
        let bare = ProgramClasses.bareName(name)
        let (registered, noted) = state.withLock { ($0.classes[name] ?? $0.classes[bare], $0.noted[bare] ?? []) }
        if let registered { return .found(registered) }
        if let module = ProgramClasses.modulePrefix(of: name) {
            if let type = noted.first(where: { fullName($0) == name }) ?? swiftClass(bare, in: module) {
                return .found(type)
            }
            if let type = NSClassFromString(name) as? NSManagedObject.Type { return .found(type) }
        }
        let listed = ProgramClasses.all(named: bare)
        if let module = ProgramClasses.modulePrefix(of: name),
            let type = listed.first(where: { $0.module == module })?.type as? NSManagedObject.Type
        {
            return .found(type)
        }
        // A bare name, or a model made for a module of another name.
        return choose(noted, listed)
    }

    /// Returns the top-level class of a name in a module; nil for names with characters other than ASCII letters, digits and
    /// underscores. Faster than enumerating the program's classes or asking Foundation.
    private static func swiftClass(_ name: String, in module: String) -> NSManagedObject.Type? {
        let isPlain = (name + module).utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "_")
        }
        guard isPlain else { return nil }
        return _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)C") as? NSManagedObject.Type
    }

    /// Returns `Module.Class`, with further components for private and nested classes.
    private static func fullName(_ type: NSManagedObject.Type) -> String {
        ClassDescriptor(type)?.name ?? _typeName(type, qualified: true)
    }

    /// Chooses between classes of one name.
    private static func choose(_ noted: [NSManagedObject.Type], _ listed: [ProgramClasses.Found]) -> ClassAnswer {
        if noted.count == 1 { return .found(noted[0]) }
        let types = noted.isEmpty ? listed.compactMap { $0.type as? NSManagedObject.Type } : noted
        guard types.count > 1 else { return types.first.map { .found($0) } ?? .missing }
        let own = types.first { fullName($0).hasPrefix(ProgramClasses.programModule + ".") }
        if let own { return .found(own) }
        return .ambiguous(types.map(fullName).sorted())
    }
}

/// The result of looking up a class name.
enum ClassAnswer {
    case found(NSManagedObject.Type)
    case missing
    /// Several classes have the name; the associated value lists their full names.
    case ambiguous([String])

    var type: NSManagedObject.Type? {
        guard case .found(let type) = self else { return nil }
        return type
    }
}
