extension Instruments {
    /// A function of the standard library or Foundation that calls a closure of the program for each element.
    package struct SequenceAlgorithm: Hashable, Sendable {
        /// The kind of the function.
        package let kind: Kind
        /// The function in Swift's notation: `_ArrayProtocol.filter(_:)`.
        package let function: String
        /// The line of the program that calls it.
        package let place: Place

        /// The kind of a function on elements.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Selects or excludes elements by a condition.
            case filter
            /// Finds an element, or whether there is one.
            case search
            /// Sorts the elements.
            case sort
            /// Finds the smallest or greatest element.
            case extreme
            /// Combines the elements into one value.
            case reduce
            /// Groups the elements by a value.
            case group
            /// Transforms each element.
            case map
            /// Performs an action for each element.
            case forEach
        }
    }
}

extension Instruments.SequenceAlgorithm.Kind {
    /// Determines the kind by the function's name and labels, as in `Sequence.sorted(by:)`; nil for other functions.
    package init?(function: String) {
        // Any member of a lazy sequence may read elements: `LazyFilterSequence.Iterator.next()`, `startIndex.getter`.
        if function.contains("LazyFilterSequence") {
            self = .filter
            return
        }
        if function.contains("LazyMapSequence") {
            self = .map
            return
        }
        guard !function.hasPrefix("Optional."), let name = Self.name(of: function) else { return nil }
        switch name {
        case "filter(_:)", "filter(using:)", "filtered(using:)", "filteredThrowing(using:)", "removeAll(where:)",
            "prefix(while:)", "drop(while:)", "count(where:)", "partition(by:)":
            self = .filter
        case "first(where:)", "last(where:)", "firstIndex(where:)", "lastIndex(where:)", "contains(where:)",
            "allSatisfy(_:)", "indices(where:)":
            self = .search
        case "sort(by:)", "sorted(by:)", "sort(using:)", "sorted(using:)", "sort()", "sorted()", "sortedArray(using:)",
            "sortedArray(comparator:)", "sortedArray(options:usingComparator:)", "sort(comparator:)":
            self = .sort
        case "min(by:)", "max(by:)", "min()", "max()": self = .extreme
        case "reduce(_:_:)", "reduce(into:_:)": self = .reduce
        case "init(grouping:by:)": self = .group
        case "map(_:)", "compactMap(_:)", "flatMap(_:)", "mapValues(_:)", "compactMapValues(_:)": self = .map
        case "forEach(_:)", "enumerateObjects(_:)", "enumerateObjects(options:using:)": self = .forEach
        default: return nil
        }
    }

    /// Returns the name and labels of a function: `sorted(by:)` for `Sequence.sorted<A>(by:)`.
    private static func name(of function: String) -> String? {
        guard let labels = function.lastIndex(of: "("), function.hasSuffix(")") else { return nil }
        var base = function[..<labels]
        // The generic parameters of the function.
        if base.hasSuffix(">"), let start = base.lastIndex(of: "<") { base = base[..<start] }
        return String(
            base[(base.lastIndex(of: ".").map(base.index(after:)) ?? base.startIndex)...] + function[labels...])
    }
}

extension Instruments.CodePath {
    /// The maximum number of program lines between an operation and the call it belongs to.
    private static let mostLines = 6

    /// The innermost function that calls a closure for each element and that the program itself calls: `users.filter { $0.age >
    /// 3 }` if the operation reads `age`.
    ///
    /// The operation may be in the program's closure, in functions that the closure calls, or behind a key path. Uses of
    /// sequences within this package and other libraries do not count.
    package var enclosingAlgorithm: Instruments.SequenceAlgorithm? {
        // Names are symbolicated much faster than lines.
        guard
            Symbolicator.shared.names(of: addresses).contains(where: {
                Instruments.SequenceAlgorithm.Kind(function: $0) != nil
            })
        else { return nil }
        /// The outermost of adjacent library functions: the one that the program has called.
        var called: (kind: Instruments.SequenceAlgorithm.Kind, function: String)?
        var closure: Instruments.Place?
        var lines = 0
        for frame in frames {
            switch frame.origin {
            case .program:
                lines += 1
                guard lines <= Self.mostLines else { return nil }
                if let called, let caller = frame.place {
                    // Elements of lazy sequences are read by loops. These calls have no lines.
                    let place = called.function.contains("Lazy") ? closure ?? caller : caller
                    return Instruments.SequenceAlgorithm(kind: called.kind, function: called.function, place: place)
                }
                closure = frame.place
            case .library:
                if let kind = Instruments.SequenceAlgorithm.Kind(function: frame.function) {
                    called = (kind, frame.function)
                }
            case .framework:
                // Methods on collections with predicates: `(users as NSArray).filteredThrowing(using: predicate)`.
                called = Instruments.SequenceAlgorithm.Kind(function: frame.function).flatMap {
                    $0 == .filter || $0 == .sort ? ($0, frame.function) : nil
                }
            case .dependency: called = nil
            case .compiler, .generated: break
            }
        }
        return nil
    }

    /// The functions of the standard library and Foundation between the operation and the line that calls
    /// ``enclosingAlgorithm``, or ``place`` if there is none; innermost first.
    package var standardLibraryCalls: [String] {
        let frames = Array(frames)
        let line = enclosingAlgorithm?.place ?? place
        guard let outer = frames.lastIndex(where: { $0.origin == .program && $0.place == line }) else { return [] }
        return frames[..<outer].filter { $0.origin == .library }.map(\.function)
    }
}
