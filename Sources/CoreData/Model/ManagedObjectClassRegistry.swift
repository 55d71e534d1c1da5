import Foundation
import Synchronization

/// Finds the classes that models name.
///
/// Off Apple a class is known to the runtime as `Module.Class` only, while models say `Class` or `.Class` as well. The
/// registry knows classes registered under a name (by generated code), and which modules to try for the others: those of
/// classes seen so far, of the program, and of the resource bundles and modules lying beside it.
public enum ManagedObjectClassRegistry {
    private struct State {
        var classes: [String: NSManagedObject.Type] = [:]
        var modules: [String] = []
        /// Classes at the top of a module that were seen, by module and name: looking for one goes through all the
        /// program's types.
        var seen = ObjectTable<String, SeenClass>(minimumCapacity: 12)
        /// By address.
        var noted = Set<Int>(minimumCapacity: 12)
        /// Grows whenever a look-up that failed might now succeed.
        var generation = 0
    }

    private final class SeenClass: Sendable {
        let type: NSManagedObject.Type

        init(_ type: NSManagedObject.Type) { self.type = type }
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

    /// The class of managed objects that a model calls `name`: `Name`, `.Name` or `Module.Name`. nil if the program has none.
    ///
    /// In place of `NSClassFromString(entity.managedObjectClassName)`, which off Apple finds `Module.Name` alone. Costs a
    /// runtime look-up for each module tried.
    public static func managedObjectClass(named name: String) -> NSManagedObject.Type? { resolve(name) }

    /// Remembers the class's module as one where other classes may be.
    static func note(_ type: NSManagedObject.Type) {
        // Fetch requests ask this each time; finding a class's name costs microseconds.
        let address = Int(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        guard lastNoted.load(ordering: .relaxed) != address else { return }
        lastNoted.store(address, ordering: .relaxed)
        guard state.withLock({ $0.noted.insert(address).inserted }) else { return }
        let name = ClassDescriptor(type)?.name ?? _typeName(type, qualified: true)
        guard let (prefix, rest) = modulePrefix(of: name), !prefix.hasPrefix("(") else { return }
        let module = String(prefix)
        state.withLock { state in
            if isPlain(rest) { state.seen[name] = SeenClass(type) }
            guard !state.modules.contains(module) else { return }
            state.modules.append(module)
            state.generation += 1
        }
    }

    /// Whether a class was made known under that name, which may be quite another than its own.
    static func isRegistered(_ name: String) -> Bool {
        let bare = bareName(name)
        return state.withLock { $0.classes[name] != nil || $0.classes[bare] != nil }
    }

    /// A number that changes when classes or modules become known.
    static var generation: Int { state.withLock { $0.generation } }

    /// The class of that name, or nil. Costs a runtime look-up for each module tried; callers cache the answer.
    static func resolve(_ name: String) -> NSManagedObject.Type? {
        if name == "NSManagedObject" { return NSManagedObject.self }
        let bare = bareName(name)
        if let known = state.withLock({ $0.classes[name] ?? $0.classes[bare] }) { return known }
        let modules = state.withLock { $0.modules }
        if let (module, rest) = modulePrefix(of: name) {
            if let type = swiftClass(rest, in: module) { return type }
        } else {
            for module in modules {
                if let type = swiftClass(bare[...], in: module[...]) { return type }
            }
        }
        // What Foundation does costs much more, when it is first asked at that.
        if !name.hasPrefix("."), let type = NSClassFromString(name) as? NSManagedObject.Type { return type }
        for module in modules + moduleCandidates {
            if let type = NSClassFromString("\(module).\(bare)") as? NSManagedObject.Type { return type }
        }
        return nil
    }

    /// The class of that name at the top of a module; nil also for names of other than plain letters and digits.
    private static func swiftClass(_ name: Substring, in module: Substring) -> NSManagedObject.Type? {
        guard isPlain(name), isPlain(module) else { return nil }
        if let known = state.withLock({ $0.seen["\(module).\(name)"]?.type }) { return known }
        return _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)C") as? NSManagedObject.Type
    }

    private static func isPlain(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "_")
        }
    }

    /// What comes before the first dot, and after it; nil where one of them is missing.
    private static func modulePrefix(of name: String) -> (module: Substring, rest: Substring)? {
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        let rest = name[name.utf8.index(after: dot)...]
        return rest.isEmpty ? nil : (name[..<dot], rest)
    }

    /// A class of any kind by its name, with or without its module.
    static func anyClass(named name: String) -> AnyClass? {
        if name.contains("."), !name.hasPrefix("."), let type = NSClassFromString(name) { return type }
        let bare = bareName(name)
        for module in state.withLock({ $0.modules }) + moduleCandidates {
            if let type = NSClassFromString("\(module).\(bare)") { return type }
        }
        return nil
    }

    /// The name without its module: `Thing` for `Thing`, `.Thing` and `Module.Thing`.
    static func bareName(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: ".")) else { return name }
        return name.split(separator: ".").last.map(String.init) ?? name
    }

    /// Modules guessed from what lies on disk: the executable, resource bundles, and compiled modules beside it.
    private static let moduleCandidates: [String] = {
        var names: [String] = []
        func add(_ name: String) {
            let module = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
            if !module.isEmpty, !names.contains(module) { names.append(module) }
        }
        add(ProcessInfo.processInfo.processName)
        for bundle in ModelSearch.resourceBundlesBesideProgram {
            add(String(bundle.deletingPathExtension().lastPathComponent.split(separator: "_").last ?? ""))
        }
        for folder in ModelSearch.foldersBesideProgram {
            let modules = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/Modules")) ?? []
            for entry in modules.sorted() where entry.hasSuffix(".swiftmodule") {
                add((entry as NSString).deletingPathExtension)
            }
        }
        return names
    }()
}

extension NSEntityDescription {
    /// The class of the entity's objects; `NSManagedObject` where the class named is not in the program, as with
    /// Apple's framework. A frozen entity remembers the answer.
    var managedObjectClass: NSManagedObject.Type {
        guard let name = storedClassName else { return NSManagedObject.self }
        let generation = ManagedObjectClassRegistry.generation
        return resolving.withLock {
            if isFrozen, let known = resolvedClass, known.isFinal || known.generation == generation {
                return known.type
            }
            let found = ManagedObjectClassRegistry.resolve(name)
            resolvedClass = ResolvedClass(
                type: found ?? NSManagedObject.self, isFinal: found != nil, generation: generation)
            return found ?? NSManagedObject.self
        }
    }
}

/// What a class name was found to mean.
struct ResolvedClass {
    var type: NSManagedObject.Type
    /// Whether the class was found; if not, it may be later.
    var isFinal: Bool
    var generation: Int
}
