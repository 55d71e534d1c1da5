import ModelFormat

/// Describes entities and properties as text, for `show`, `diff` and `diagram`.
package enum PropertyWords {
    /// Returns the facts about an attribute: `Integer 16, required, default 3, 1...9`.
    package static func facts(_ attribute: Attribute) -> [String] {
        var words = [attribute.type.xmlName]
        if let name = attribute.compositeName { words[0] += " \(name)" }
        if let name = attribute.valueClassName { words[0] += " \(name)" }
        words.append(attribute.isOptional ? "optional" : "required")
        if attribute.isTransient { words.append("transient") }
        if let derivation = attribute.derivation { words.append("derived by \(derivation)") }
        if let value = attribute.defaultValue { words.append("default \(constant(value))") }
        words += attribute.validation.map(limit)
        if let name = attribute.valueTransformerName { words.append("transformer \(name)") }
        if attribute.allowsExternalBinaryDataStorage { words.append("external storage") }
        if attribute.preservesValueInHistoryOnDeletion { words.append("kept in history") }
        if attribute.allowsCloudEncryption { words.append("encrypted in the cloud") }
        if attribute.isIndexed { words.append("indexed") }
        if attribute.usesScalarValueType == true { words.append("scalar") }
        words += common(attribute.renamingIdentifier, attribute.versionHashModifier)
        return words
    }

    /// Returns the facts about a relationship: `to many Car, inverse owner, optional, ordered, delete rule Cascade`.
    package static func facts(_ relationship: Relationship) -> [String] {
        var words = ["to \(relationship.isToMany ? "many" : "one") \(relationship.destinationName)"]
        words.append(relationship.inverseName.map { "inverse \($0)" } ?? "no inverse")
        words.append(need(relationship))
        if relationship.isTransient { words.append("transient") }
        if relationship.isOrdered { words.append("ordered") }
        if relationship.isToMany, relationship.minCount != 0 || relationship.maxCount != 0 {
            words.append("\(relationship.minCount)...\(relationship.maxCount == 0 ? "" : "\(relationship.maxCount)")")
        }
        if relationship.deleteRule != .nullify { words.append("delete rule \(relationship.deleteRule.xmlName)") }
        if relationship.isIndexed { words.append("indexed") }
        words += common(relationship.renamingIdentifier, relationship.versionHashModifier)
        return words
    }

    /// Returns whether related objects are required, as text.
    package static func need(_ relationship: Relationship) -> String {
        relationship.isOptional ? "optional" : relationship.isRequired ? "required" : "may be empty"
    }

    package static func facts(_ property: FetchedProperty) -> [String] {
        var words = ["fetches \(property.fetchRequest.entityName)"]
        if let predicate = property.fetchRequest.predicate { words.append("where \(predicate)") }
        return words + common(property.renamingIdentifier, property.versionHashModifier)
    }

    package static func facts(_ index: FetchIndex) -> [String] {
        var words = index.elements.map { element in
            let subject =
                switch element.subject {
                case .property(let name): name
                case .expression(let text, _): text
                }
            return subject + (element.kind == .rTree ? " R-tree" : "") + (element.isAscending ? "" : " descending")
        }
        if let predicate = index.partialIndexPredicate { words.append("where \(predicate)") }
        return words
    }

    package static func facts(_ template: FetchTemplate) -> [String] {
        var words = [template.entityName]
        if let predicate = template.predicate { words.append("where \(predicate)") }
        if !template.sortKeys.isEmpty {
            let keys = template.sortKeys.map { $0.key + ($0.ascending ? "" : " descending") }
            words.append("by \(keys.joined(separator: ", "))")
        }
        if template.fetchLimit != 0 { words.append("limit \(template.fetchLimit)") }
        if template.fetchOffset != 0 { words.append("offset \(template.fetchOffset)") }
        if template.fetchBatchSize != 0 { words.append("batches of \(template.fetchBatchSize)") }
        switch template.resultType {
        case .objects: break
        case .objectIDs: words.append("as object IDs")
        case .dictionaries: words.append("as dictionaries")
        case .count: words.append("as a count")
        }
        return words
    }

    private static func common(_ renaming: String?, _ modifier: String?) -> [String] {
        var words: [String] = []
        if let renaming { words.append("formerly \(renaming)") }
        if let modifier { words.append("hash modifier \(modifier)") }
        return words
    }

    package static func limit(_ rule: ValidationRule) -> String {
        switch rule {
        case .minimum(let value): "at least \(constant(value))"
        case .maximum(let value): "at most \(constant(value))"
        case .minimumLength(let count): "at least \(count) long"
        case .maximumLength(let count): "at most \(count) long"
        case .pattern(let pattern): "matching /\(pattern)/"
        case .predicate(let text, _): "such that \(text)"
        }
    }

    package static func constant(_ value: ModelValue) -> String {
        switch value {
        case .bool(let flag): flag ? "YES" : "NO"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .date(let interval): "\(interval) s after 2001-01-01 UTC"
        case .uuid(let id): id.uuidString
        case .url(let text): text
        case .data(let data): "\(data.count) bytes"
        case .array(let items): "[\(items.map(constant).joined(separator: ", "))]"
        case .dictionary(let entries):
            "[\(entries.sorted(byText: \.key).map { "\($0.key): \(constant($0.value))" }.joined(separator: ", "))]"
        case .archive(let data): "an archived object of \(data.count) bytes"
        }
    }
}
