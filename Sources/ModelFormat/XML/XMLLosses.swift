/// Collects the parts of a model without an XML form.
struct XMLLosses {
    private(set) var found: [ModelFormatError] = []

    mutating func collect(_ model: Model) {
        if model.versionIdentifiers.count > 1 { note("all version identifiers but the first") }
        for template in model.fetchTemplates { collect(template, entity: nil, property: template.name) }
        for type in model.composites {
            for attribute in type.attributes { collect(attribute, entity: type.name) }
        }
        for entity in model.entities {
            collect(entity.userInfo, entity: entity.name, property: nil)
            for attribute in entity.attributes { collect(attribute, entity: entity.name) }
            for relationship in entity.relationships {
                if !relationship.validation.isEmpty {
                    note("the validation predicates", entity.name, relationship.name)
                }
                if relationship.isReadOnly { note("that it is read-only", entity.name, relationship.name) }
                collect(relationship.userInfo, entity: entity.name, property: relationship.name)
            }
            for property in entity.fetchedProperties {
                collect(property.fetchRequest, entity: entity.name, property: property.name)
                collect(property.userInfo, entity: entity.name, property: property.name)
            }
            for index in entity.fetchIndexes where index.partialIndexPredicate != nil {
                note("the predicate of the partial index", entity.name, index.name)
            }
        }
        for place in XMLModelWriter(model).document().unwritable { note("the control characters in \(place)") }
    }

    @inline(never)
    private mutating func collect(_ attribute: Attribute, entity: String) {
        let limits = XMLLimits(attribute)
        for rule in limits.lostRules { note("the rule \(rule.predicateFormat)", entity, attribute.name) }
        if limits.losesDefault { note("the default value", entity, attribute.name) }
        if attribute.type == .objectID { note("the type Object ID", entity, attribute.name) }
        if attribute.derivationFilter != nil { note("the derivation's filter", entity, attribute.name) }
        if attribute.isReadOnly && !attribute.isDerived { note("that it is read-only", entity, attribute.name) }
        collect(attribute.userInfo, entity: entity, property: attribute.name)
    }

    @inline(never)
    private mutating func collect(_ template: FetchTemplate, entity: String?, property: String) {
        if !template.sortKeys.isEmpty { note("the sort descriptors of the fetch request", entity, property) }
        if !template.propertiesToFetch.isEmpty { note("the properties to fetch", entity, property) }
        if !template.propertiesToGroupBy.isEmpty { note("the properties to group by", entity, property) }
        if template.havingPredicate != nil { note("the predicate on groups", entity, property) }
        if !template.relationshipKeyPathsForPrefetching.isEmpty {
            note("the relationships to prefetch", entity, property)
        }
    }

    @inline(never)
    private mutating func collect(_ userInfo: [String: ModelValue], entity: String, property: String?) {
        for (key, value) in userInfo.sorted(byText: \.key) where value.string == nil {
            note("that userInfo entry \(key) is no text", entity, property)
        }
    }

    @inline(never)
    private mutating func note(_ what: String, _ entity: String? = nil, _ property: String? = nil) {
        found.append(
            ModelFormatError(.unsupported, "XML models cannot hold \(what)", entity: entity, property: property))
    }
}
