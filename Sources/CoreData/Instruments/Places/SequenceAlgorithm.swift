extension Instruments {
    /// A function of the standard library or Foundation that calls the program back for each element.
    package struct SequenceAlgorithm: Hashable, Sendable {
        /// What it does with the elements.
        package let kind: Kind
        /// The function as Swift names it: `_ArrayProtocol.filter(_:)`.
        package let function: String
        /// The line of the program that calls it.
        package let place: Place

        /// What is done with elements.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Those that meet a condition are taken, or counted out.
            case filter
            /// One is looked for, or whether there is one.
            case search
            /// They are ordered.
            case sort
            /// The least or the greatest is taken.
            case extreme
            /// They become one value.
            case reduce
            /// They are grouped by a value.
            case group
            /// Each becomes something else.
            case map
            /// Something is done for each.
            case forEach
        }
    }
}

extension Instruments.SequenceAlgorithm.Kind {
    /// Tells by the function's name and labels, as in `Sequence.sorted(by:)`; nil for other functions.
    package init?(function: String) {
        // Any member of a lazy sequence may ask for elements: `LazyFilterSequence.Iterator.next()`, `startIndex.getter`.
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

    /// The name and labels of a function: `sorted(by:)` of `Sequence.sorted<A>(by:)`.
    private static func name(of function: String) -> String? {
        guard let labels = function.lastIndex(of: "("), function.hasSuffix(")") else { return nil }
        var base = function[..<labels]
        // Generic parameters of the function.
        if base.hasSuffix(">"), let start = base.lastIndex(of: "<") { base = base[..<start] }
        return String(
            base[(base.lastIndex(of: ".").map(base.index(after:)) ?? base.startIndex)...] + function[labels...])
    }
}

extension Instruments.CodePath {
    /// How many lines of the program may lie between an operation and the call it belongs to.
    private static let mostLines = 6

    /// The innermost function that calls back for each element, and that the program itself calls: `users.filter { $0.age > 3 }`
    /// where the operation is reading `age`.
    ///
    /// The operation may be in the program's closure, in functions the closure calls, or behind a key path. What this package
    /// and other libraries do with sequences of their own does not count.
    package var enclosingAlgorithm: Instruments.SequenceAlgorithm? {
        // Names are read much faster than lines.
        guard
            Symbolicator.shared.names(of: addresses).contains(where: {
                Instruments.SequenceAlgorithm.Kind(function: $0) != nil
            })
        else { return nil }
        /// The outermost of adjacent functions that are no code of a file: the one the program has called.
        var called: (kind: Instruments.SequenceAlgorithm.Kind, function: String)?
        var closure: Instruments.Place?
        var lines = 0
        for frame in frames {
            switch frame.origin {
            case .program:
                lines += 1
                guard lines <= Self.mostLines else { return nil }
                if let called, let caller = frame.place {
                    // Elements of lazy sequences are asked for by loops, whose calls have no lines.
                    let place = called.function.contains("Lazy") ? closure ?? caller : caller
                    return Instruments.SequenceAlgorithm(kind: called.kind, function: called.function, place: place)
                }
                closure = frame.place
            case .library:
                if let kind = Instruments.SequenceAlgorithm.Kind(function: frame.function) {
                    called = (kind, frame.function)
                }
            case .framework:
                // Of collections and predicates: `(users as NSArray).filteredThrowing(using: predicate)`.
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
