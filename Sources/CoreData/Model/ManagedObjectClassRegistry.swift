import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// Finds the classes that models name.
///
/// Off Apple a class is known to the runtime as `Module.Class` only, while models say `Class` or `.Class` as well. The
/// registry knows classes registered under a name (by generated code), those the program has named so far (by making an
/// object or a request), and all the others at the top of the program's modules, wherever the program lies. In that order they
/// are chosen where several modules have a class of the name; then comes the module called as the program is. Where that
/// leaves several, the name is ambiguous: say `Module.Class` in the model, or register the class.
public enum ManagedObjectClassRegistry {
    private struct State {
        var classes: [String: NSManagedObject.Type] = [:]
        /// The classes the program has named, by their names without a module.
        var noted: [String: [NSManagedObject.Type]] = [:]
        /// By address.
        var notedAddresses = Set<Int>(minimumCapacity: 12)
        /// Grows whenever a look-up that failed might now succeed.
        var generation = 0
    }

    private static let state = Locked(State())
    /// The address of the class noted last.
    private static let lastNoted = Atomic<Int>(0)

    /// Makes a class known under the name a model gives it.
    public static func register(_ type: NSManagedObject.Type, named name: String) {
        state.withLock { state in
            state.classes[name] = type
            state.generation += 1
        }
        note(type)
    }

    /// The class of managed objects that a model calls `name`: `Name`, `.Name` or `Module.Name`. nil if the program has none,
    /// or if modules that the program has not used so far have one each.
    ///
    /// In place of `NSClassFromString(entity.managedObjectClassName)`, which off Apple finds `Module.Name` alone. Costs a
    /// runtime look-up.
    public static func managedObjectClass(named name: String) -> NSManagedObject.Type? { resolve(name).type }

    /// Remembers a class that the program has named.
    package static func note(_ type: NSManagedObject.Type) {
        // Fetch requests ask this each time; finding a class's name costs microseconds.
        let address = Int(bitPattern: ObjectIdentifier(type))
        guard lastNoted.load(ordering: .relaxed) != address else { return }
        lastNoted.store(address, ordering: .relaxed)
        guard state.withLock({ $0.notedAddresses.insert(address).inserted }) else { return }
        let name = bareName(fullName(type))
        state.withLock { state in
            state.noted[name, default: []].append(type)
            state.generation += 1
        }
    }

    /// Whether a class was made known under that name, which may be quite another than its own.
    static func isRegistered(_ name: String) -> Bool {
        let bare = bareName(name)
        return state.withLock { $0.classes[name] != nil || $0.classes[bare] != nil }
    }

    /// A number that changes when classes become known.
    static var generation: Int { state.withLock { $0.generation } + ProgramClasses.imageCount }

    /// The class of that name, if there is one. Costs a runtime look-up; callers cache the answer.
    static func resolve(_ name: String) -> ClassAnswer {
        if name == "NSManagedObject" { return .found(NSManagedObject.self) }
        let bare = bareName(name)
        let (registered, noted) = state.withLock { ($0.classes[name] ?? $0.classes[bare], $0.noted[bare] ?? []) }
        if let registered { return .found(registered) }
        if let module = modulePrefix(of: name) {
            if let type = noted.first(where: { fullName($0) == name }) ?? swiftClass(bare, in: module) {
                return .found(type)
            }
            if let type = NSClassFromString(name) as? NSManagedObject.Type { return .found(type) }
        }
        let listed = ProgramClasses.all(named: bare)
        if let module = modulePrefix(of: name),
            let type = listed.first(where: { $0.module == module })?.type as? NSManagedObject.Type
        {
            return .found(type)
        }
        // A bare name, or a model that was made for a module of another name.
        return choose(noted, listed)
    }

    /// The class of that name at the top of a module; nil also for names of other than plain letters and digits. Takes less
    /// than reading what the program consists of, or what Foundation does.
    private static func swiftClass(_ name: String, in module: String) -> NSManagedObject.Type? {
        let isPlain = (name + module).utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "_")
        }
        guard isPlain else { return nil }
        return _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)C") as? NSManagedObject.Type
    }

    /// `Module.Class`; longer for private classes and those inside of others.
    private static func fullName(_ type: NSManagedObject.Type) -> String {
        ClassDescriptor(type)?.name ?? _typeName(type, qualified: true)
    }

    /// Chooses between classes of one name.
    private static func choose(_ noted: [NSManagedObject.Type], _ listed: [ProgramClasses.Found]) -> ClassAnswer {
        if noted.count == 1 { return .found(noted[0]) }
        let types = noted.isEmpty ? listed.compactMap { $0.type as? NSManagedObject.Type } : noted
        guard types.count > 1 else { return types.first.map { .found($0) } ?? .missing }
        let own = types.first { fullName($0).hasPrefix(programModule + ".") }
        if let own { return .found(own) }
        return .ambiguous(types.map(fullName).sorted())
    }

    /// A class of any kind by its name, with or without its module.
    static func anyClass(named name: String) -> AnyClass? {
        let module = modulePrefix(of: name)
        if module != nil, let type = NSClassFromString(name) { return type }
        let listed = ProgramClasses.all(named: bareName(name))
        let wanted = module ?? programModule
        return (listed.first { $0.module == wanted } ?? listed.first)?.type
    }

    /// The name without its module: `Thing` for `Thing`, `.Thing` and `Module.Thing`.
    static func bareName(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: ".")) else { return name }
        return name.split(separator: ".").last.map(String.init) ?? name
    }

    /// What comes before the first dot; nil where nothing does.
    private static func modulePrefix(of name: String) -> String? {
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return String(name[..<dot])
    }

    /// The module of the program's `main`, which is called as the program is unless that was renamed.
    private static let programModule = String(
        ProcessInfo.processInfo.processName.map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

/// What a class name was found to mean.
enum ClassAnswer {
    case found(NSManagedObject.Type)
    case missing
    /// The full names of the classes that it may mean.
    case ambiguous([String])

    var type: NSManagedObject.Type? {
        guard case .found(let type) = self else { return nil }
        return type
    }
}
