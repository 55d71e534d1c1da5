#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Checks predicates against the model before they are translated, and replaces texts for objects and dates by these.
struct PredicateChecker {
    let layouts: ModelLayouts
    let storeUUID: String
    let root: EntityLayout
    private var paths: PropertyPaths { PropertyPaths(layouts: layouts) }
    private typealias Variables = [String: EntityLayout]

    init(_ root: EntityLayout, _ layouts: ModelLayouts, storeUUID: String) {
        self.root = root
        self.layouts = layouts
        self.storeUUID = storeUUID
    }

    /// Parses and checks a predicate.
    ///
    /// - Throws: ``StoreToolError/Code/invalidQuery``.
    func predicate(_ format: String, arguments: [Any]) throws -> NSPredicate {
        let parsed: NSPredicate
        do {
            parsed = try NSPredicate.parse(format, arguments: arguments.map { $0 as Any? })
        } catch let error as PredicateFormatError {
            let place = String(decoding: error.format.utf8.prefix(error.utf8Offset), as: UTF8.self).count + 1
            throw StoreToolError(
                .invalidQuery, "The predicate \"\(format)\" cannot be parsed: \(error.reason), at character \(place).",
                advice: "Write it as in NSPredicate's format, with texts in quotes.")
        }
        return NSPredicate(node: try check(parsed.node, [:], depth: 0))
    }

    /// The kind of value that an expression yields, as far as constants beside it depend on that.
    private enum Kind {
        case object(EntityLayout)
        case date
        case entity
        case other
    }

    /// The deepest nesting that is followed; the translation refuses far less.
    private static let depthLimit = 1000

    private func check(_ node: PredicateNode, _ variables: Variables, depth: Int) throws -> PredicateNode {
        guard depth < Self.depthLimit else {
            throw StoreToolError(.invalidQuery, "The predicate is nested more than \(Self.depthLimit) levels deep.")
        }
        switch node {
        case .constant, .opaque: return node
        case .and(let nodes): return .and(try nodes.map { try check($0, variables, depth: depth + 1) })
        case .or(let nodes): return .or(try nodes.map { try check($0, variables, depth: depth + 1) })
        case .not(let node): return .not(try check(node, variables, depth: depth + 1))
        case .comparison(var comparison):
            let left = try check(comparison.left, variables, depth: depth + 1)
            let right = try check(comparison.right, variables, depth: depth + 1)
            comparison.left = try convert(left.node, for: right.kind)
            comparison.right = try convert(right.node, for: left.kind)
            return .comparison(comparison)
        }
    }

    private func check(
        _ node: ExpressionNode, _ variables: Variables, depth: Int
    ) throws -> (node: ExpressionNode, kind: Kind) {
        guard depth < Self.depthLimit else {
            throw StoreToolError(.invalidQuery, "The predicate is nested more than \(Self.depthLimit) levels deep.")
        }
        switch node {
        case .evaluatedObject: return (node, .object(root))
        case .variable(let name): return (node, variables[name].map { .object($0) } ?? .other)
        case .keyPath(let keys, let base):
            let base = try check(base, variables, depth: depth + 1)
            guard case .object(let start) = base.kind else { return (.keyPath(keys, of: base.node), .other) }
            return (.keyPath(keys, of: base.node), try follow(keys, from: start, base.node))
        case .function(let function, let arguments):
            return (.function(function, try arguments.map { try check($0, variables, depth: depth + 1).node }), .other)
        case .aggregate(let elements):
            return (.aggregate(try elements.map { try check($0, variables, depth: depth + 1).node }), .other)
        case .subquery(let collection, let variable, let predicate):
            let checked = try check(collection, variables, depth: depth + 1)
            guard case .object(let members) = checked.kind else { return (node, .other) }
            var inner = variables
            inner[variable] = members
            return (
                .subquery(
                    checked.node, variable: variable, try check(predicate, inner, depth: depth + 1)),
                .object(members)
            )
        case .conditional(let predicate, let yes, let no):
            let (first, second) = (
                try check(yes, variables, depth: depth + 1), try check(no, variables, depth: depth + 1)
            )
            return (
                .conditional(try check(predicate, variables, depth: depth + 1), first.node, second.node), first.kind
            )
        default: return (node, .other)
        }
    }

    private func follow(_ keys: [String], from start: EntityLayout, _ base: ExpressionNode) throws -> Kind {
        // A collection operator may follow a subquery, which is a collection itself.
        guard case .subquery = base, let first = keys.first, first.hasPrefix("@") else {
            return kind(try paths.follow(keys, from: start))
        }
        _ = try paths.follow(Array(keys.dropFirst()), from: start)
        return .other
    }

    private func kind(_ path: PropertyPath) -> Kind {
        switch path {
        case .attribute(.date): .date
        case .entity: .entity
        case .object(let layout): .object(layout)
        case .members(let members): members.rest.isEmpty ? .object(members.destination) : memberKind(members)
        case .attribute, .composite, .aggregate: .other
        }
    }

    private func memberKind(_ members: PropertyPath.Members) -> Kind {
        (try? paths.follow(members.rest, from: members.destination)).map(kind) ?? .other
    }

    // MARK: Constants

    private func convert(_ node: ExpressionNode, for kind: Kind) throws -> ExpressionNode {
        if case .other = kind { return node }
        switch node {
        case .aggregate(let elements): return .aggregate(try elements.map { try convert($0, for: kind) })
        case .constant(let value?):
            if let text = value as? String { return .constant(try constant(text, for: kind) ?? value) }
            if let uri = value as? URL { return .constant(try constant(uri.absoluteString, for: kind) ?? value) }
            guard let collection = value as? any PredicateCollection else { return node }
            return .constant(
                try collection.predicateElements.map { element -> Any in
                    let text = element as? String ?? (element as? URL)?.absoluteString
                    return try text.flatMap { try constant($0, for: kind) } ?? element
                })
        default: return node
        }
    }

    /// Returns the value that a text stands for; nil if it stands for itself.
    private func constant(_ text: String, for kind: Kind) throws -> Any? {
        switch kind {
        case .object(let layout): return try object(text, of: layout)
        case .entity:
            guard layouts.byName[text] != nil else { throw paths.unknownEntity(text) }
            return nil
        case .date:
            if let date = DateText.date(text) { return date }
            throw StoreToolError(
                .invalidQuery, "\"\(text)\" is not a date.",
                advice: "Write dates as in \"2024-05-31\" or \"2024-05-31T10:30:00Z\".")
        case .other: return nil
        }
    }

    private func object(_ text: String, of layout: EntityLayout) throws -> RowConstant {
        let (address, entity) = try Self.row(text, layouts, storeUUID: storeUUID)
        guard entity.root === layout.root else {
            throw StoreToolError(
                .invalidQuery, "\(text) is an object of the entity \(entity.name), and not of \(layout.name).")
        }
        return RowConstant(address, entity)
    }

    /// Returns the row that a URI names in this store.
    ///
    /// - Throws: ``StoreToolError/Code/invalidQuery`` for other text, other stores, and entities that are not in the model.
    static func row(
        _ text: String, _ layouts: ModelLayouts, storeUUID: String
    ) throws -> (ObjectAddress, EntityLayout) {
        guard let address = ObjectAddress(text) else {
            throw StoreToolError(
                .invalidQuery, "\"\(text)\" is not the URI of an object.",
                advice: "Objects are written as in \"x-coredata://\(storeUUID)/Entity/p1\".")
        }
        guard address.storeUUID == storeUUID else {
            throw StoreToolError(
                .invalidQuery, "\(text) is an object of another store: this one's identifier is \(storeUUID).",
                advice: "Open the store that the object is from.")
        }
        guard let layout = layouts.byName[address.entity] else {
            throw PropertyPaths(layouts: layouts).unknownEntity(address.entity)
        }
        return (address, layout)
    }
}
#endif
