import CoreDataRowStorage

/// A piece of SQL with its parameters.
///
/// Fragments are composed by interpolation, `"\(a) = \(b)"`. Parameters are numbered when the whole statement is written
/// (``statement(in:)``), in order of appearance; a parameter that appears several times keeps its number. Plain text requires
/// the label, `\(raw: alias)`: values never become part of SQL.
package struct SQLFragment: Hashable, ExpressibleByStringInterpolation {
    private struct Piece: Hashable {
        let parameter: SQLParameter
        var text: String
    }

    private var head: String
    private var rest: [Piece]

    package init(raw text: String) {
        head = text
        rest = []
    }

    package init(_ parameter: SQLParameter) {
        head = ""
        rest = [Piece(parameter: parameter, text: "")]
    }

    package init(stringLiteral text: String) { self.init(raw: text) }

    package init(stringInterpolation: Interpolation) { self = stringInterpolation.fragment }

    package var isEmpty: Bool { head.isEmpty && rest.isEmpty }

    package mutating func append(raw text: String) {
        if rest.isEmpty { head += text } else { rest[rest.count - 1].text += text }
    }

    package static func += (left: inout SQLFragment, right: SQLFragment) {
        left.append(raw: right.head)
        left.rest += right.rest
    }

    package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        var sum = left
        sum += right
        return sum
    }

    /// Collects the parts of an interpolated string.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var fragment = SQLFragment(raw: "")

        package init(literalCapacity: Int, interpolationCount: Int) {
            fragment.head.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ text: String) { fragment.append(raw: text) }
        package mutating func appendInterpolation(_ part: SQLFragment) { fragment += part }
        package mutating func appendInterpolation(raw text: String) { fragment.append(raw: text) }
        package mutating func appendInterpolation(raw number: some BinaryInteger) {
            fragment.append(raw: String(number))
        }
    }

    // MARK: Writing

    /// Returns the text in a dialect, and the bindings of its parameters, in their order.
    package func statement(in dialect: any SQLDialect) -> SQLStatement {
        guard !rest.isEmpty else { return SQLStatement(text: head, bindings: []) }
        var text = head
        var bindings: [ParameterBinding] = []
        var numbers = [Int](repeating: 0, count: rest.reduce(0) { max($0, $1.parameter.id) } + 1)
        for piece in rest {
            let id = piece.parameter.id
            if numbers[id] == 0 {
                bindings.append(piece.parameter.binding)
                numbers[id] = bindings.count
            }
            text += dialect.parameter(numbers[id], as: piece.parameter.type)
            text += piece.text
        }
        return SQLStatement(text: text, bindings: bindings)
    }
}

/// A parameter of a statement under construction.
package struct SQLParameter: Hashable {
    /// The number among the parameters of one compiler.
    let id: Int
    let binding: ParameterBinding
    /// The type in the dialect; empty in dialects without parameter types.
    let type: String

    package static func == (left: SQLParameter, right: SQLParameter) -> Bool { left.id == right.id }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The text of a statement, and the constants bound to its parameters, in their order.
package struct SQLStatement {
    package let text: String
    package let bindings: [ParameterBinding]
}

extension [SQLFragment] {
    package func joined(separator: String) -> SQLFragment {
        guard var joined = first else { return "" }
        for fragment in dropFirst() {
            joined.append(raw: separator)
            joined += fragment
        }
        return joined
    }
}
