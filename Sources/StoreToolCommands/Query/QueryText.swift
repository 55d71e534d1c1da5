import Foundation
import StoreTools

/// A query as it is typed: `Person where age > 30 sort -lastUpdate limit 20 show name, team.name`.
///
/// The words of clauses are recognized outside of quotes, parentheses, braces and brackets, in any case. One that begins a
/// clause, or that an operator follows, is part of the clause: `where limit > 3` compares an attribute.
package struct QueryText: Sendable, Hashable {
    package struct SortKey: Sendable, Hashable {
        package var key: String
        package var ascending: Bool
    }

    package var entity: String
    package var predicate: String?
    package var sortKeys: [SortKey] = []
    package var limit: Int?
    package var offset: Int?
    package var columns: [String]?

    package enum Clause: String, CaseIterable {
        case `where`, sort, limit, offset, show
    }

    /// Parses a query.
    ///
    /// - Throws: ``QueryTextError``.
    package init(_ text: String) throws(QueryTextError) {
        let words = QueryWords(text)
        guard let first = words.words.first else {
            throw QueryTextError("The query is empty.", text, text.startIndex, advice: Self.form)
        }
        entity = String(text[first])
        if Clause(rawValue: entity.lowercased()) != nil, words.words.count > 1 {
            throw QueryTextError(
                "A query begins with the name of an entity, not with “\(entity)”.", text, first.lowerBound,
                advice: Self.form)
        }
        var parts: [(clause: Clause, word: Range<String.Index>, content: Range<String.Index>)] = []
        for (index, word) in words.words.enumerated().dropFirst() {
            let isFirstOfClause = parts.last?.content.isEmpty ?? false
            guard !isFirstOfClause, let clause = words.clause(at: index) else {
                guard let last = parts.indices.last else {
                    throw QueryTextError(
                        "There is “\(text[word])” where a clause must begin.", text, word.lowerBound,
                        advice: "The clauses are where, sort, limit, offset and show.")
                }
                let start = parts[last].content.isEmpty ? word.lowerBound : parts[last].content.lowerBound
                parts[last].content = start..<word.upperBound
                continue
            }
            guard !parts.contains(where: { $0.clause == clause }) else {
                throw QueryTextError("There are two “\(clause.rawValue)”.", text, word.lowerBound)
            }
            parts.append((clause, word, word.upperBound..<word.upperBound))
        }
        if let place = words.unclosed {
            throw QueryTextError("The “\(text[place])” is not closed.", text, place)
        }
        for part in parts {
            guard !part.content.isEmpty else {
                throw QueryTextError("Nothing follows “\(text[part.word])”.", text, part.word.lowerBound)
            }
            try set(part.clause, text, part.content)
        }
    }

    private static let form = "For example: Person where age > 30 sort -name limit 20 show name, age"

    private mutating func set(
        _ clause: Clause, _ text: String, _ content: Range<String.Index>
    ) throws(QueryTextError) {
        switch clause {
        case .where: predicate = String(text[content])
        case .sort: sortKeys = try Self.sortKeys(text, content)
        case .limit: limit = try Self.number(text, content)
        case .offset: offset = try Self.number(text, content)
        case .show: columns = try Self.list(text, content).map { String(text[$0]) }
        }
    }

    /// Parses the keys of a sort order, such as `-lastUpdate, name desc`.
    package static func sortKeys(_ text: String) throws(QueryTextError) -> [SortKey] {
        try sortKeys(text, text.startIndex..<text.endIndex)
    }

    /// Parses key paths separated by commas.
    package static func columns(_ text: String) throws(QueryTextError) -> [String] {
        try list(text, text.startIndex..<text.endIndex).map { String(text[$0]) }
    }

    private static func sortKeys(
        _ text: String, _ content: Range<String.Index>
    ) throws(QueryTextError) -> [SortKey] {
        var keys: [SortKey] = []
        for place in try list(text, content) {
            let words = text[place].split(whereSeparator: \.isWhitespace)
            let order = words.count == 2 ? words[1].lowercased() : nil
            guard words.count == 1 || order == "asc" || order == "desc" else {
                throw QueryTextError(
                    "“\(text[place])” is no sort key.", text, place.lowerBound,
                    advice: "Sort keys are separated by commas; -key sorts in descending order.")
            }
            let word = words[0]
            let hasSign = word.hasPrefix("-") || word.hasPrefix("+")
            let key = hasSign ? String(word.dropFirst()) : String(word)
            guard !key.isEmpty else {
                throw QueryTextError("A key must follow the “\(word)”.", text, place.lowerBound)
            }
            keys.append(SortKey(key: key, ascending: word.hasPrefix("-") == (order == "desc")))
        }
        return keys
    }

    private static func number(_ text: String, _ content: Range<String.Index>) throws(QueryTextError) -> Int {
        guard let number = Int(text[content]), number >= 0 else {
            throw QueryTextError(
                "“\(text[content])” is no number of rows.", text, content.lowerBound,
                advice: "Write a number that is not negative, such as limit 20.")
        }
        return number
    }

    /// Returns the places of parts separated by commas, without surrounding spaces.
    private static func list(
        _ text: String, _ content: Range<String.Index>
    ) throws(QueryTextError) -> [Range<String.Index>] {
        var parts: [Range<String.Index>] = []
        for part in text[content].split(separator: ",", omittingEmptySubsequences: false) {
            guard let first = part.firstIndex(where: { !$0.isWhitespace }),
                let last = part.lastIndex(where: { !$0.isWhitespace })
            else { throw QueryTextError("A key is missing.", text, part.startIndex) }
            parts.append(first..<text.index(after: last))
        }
        return parts
    }
}

/// The words of a query: parts separated by spaces outside of quotes and brackets.
private struct QueryWords {
    let text: String
    var words: [Range<String.Index>] = []
    /// The place of a quote or bracket that is not closed.
    var unclosed: String.Index?

    init(_ text: String) {
        self.text = text
        var open: [(closing: Character, place: String.Index)] = []
        var quote: (mark: Character, place: String.Index)?
        var start: String.Index?
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if quote == nil, open.isEmpty, character.isWhitespace {
                if let begin = start { words.append(begin..<index) }
                start = nil
                continue
            }
            start = start ?? index
            if let mark = quote?.mark {
                switch character {
                case _ where isEscaped: isEscaped = false
                case "\\": isEscaped = true
                case mark: quote = nil
                default: break
                }
                continue
            }
            switch character {
            case "\"", "'": quote = (character, index)
            case "(": open.append((")", index))
            case "{": open.append(("}", index))
            case "[": open.append(("]", index))
            case ")", "}", "]": if open.last?.closing == character { open.removeLast() }
            default: break
            }
        }
        if let begin = start { words.append(begin..<text.endIndex) }
        unclosed = quote?.place ?? open.last?.place
    }

    /// Returns the clause that a word begins.
    func clause(at index: Int) -> QueryText.Clause? {
        guard let clause = QueryText.Clause(rawValue: text[words[index]].lowercased()) else { return nil }
        guard index + 1 < words.count else { return clause }
        let next = text[words[index + 1]]
        let isOperator = next.first.map { "=<>!*/^".contains($0) } ?? false
        let isWord = Self.operators.contains(next.lowercased().prefix { $0 != "[" }.description)
        return isOperator || isWord ? nil : clause
    }

    private static let operators: Set<String> = [
        "in", "like", "contains", "beginswith", "endswith", "matches", "between", "and", "or",
    ]
}

/// An error in a query, with its place.
package struct QueryTextError: Error, Hashable {
    package let message: String
    package let advice: String?
    /// The query.
    package let text: String
    /// The place, in characters from the beginning.
    package let position: Int

    init(_ message: String, _ text: String, _ place: String.Index, advice: String? = nil) {
        self.message = message
        self.advice = advice
        self.text = text
        position = text.distance(from: text.startIndex, to: place)
    }

    /// Creates an error from one with a message that names a character of a predicate; nil for any other.
    init?(_ error: StoreToolError, in predicate: String?) {
        guard let predicate, let mark = error.message.range(of: "at character ", options: .backwards),
            let number = Int(error.message[mark.upperBound...].prefix { $0.isNumber }), number > 0
        else { return nil }
        message = error.message
        advice = error.advice
        text = predicate
        position = min(number - 1, predicate.count)
    }

    /// The query and a caret below the place, in two lines; only the part around it of a long query.
    package var excerpt: String {
        let begin = max(0, position - 50)
        let before = CellText.escaped(String(text.dropFirst(begin).prefix(position - begin)))
        let after = CellText.escaped(String(text.dropFirst(position).prefix(50)))
        let lead = begin > 0 ? "…" : ""
        return "  \(lead)\(before)\(after)\n"
            + String(repeating: " ", count: 2 + lead.count + DisplayWidth.of(before)) + "^"
    }
}
