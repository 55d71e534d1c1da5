import CoreDataRowStorage
import Foundation
import PredicateFormat

// Evaluation of value expressions and assignment of their results.

extension NSMigrationManager {
    /// Inserts a new object into the destination context.
    ///
    /// - Throws: an error if the entity is abstract.
    final func makeInstance(of entity: NSEntityDescription, for mapping: NSEntityMapping) throws -> NSManagedObject {
        guard !entity.isAbstract else {
            throw failure(mapping, nil, "\(entity.name ?? "?") is abstract: it can have no objects of its own.")
        }
        return NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: destinationContext)
    }

    /// Returns the value of a property mapping; nil if it has no expression.
    final func value(
        of property: NSPropertyMapping, in mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy,
        _ source: NSManagedObject?, _ destination: NSManagedObject
    ) throws -> (value: Any?, Void)? {
        guard let expression = property.valueExpression else { return nil }
        runningPropertyMapping = property
        defer { runningPropertyMapping = nil }
        let variables = variables(mapping, policy)
        variables[NSMigrationSourceObjectKey] = source ?? NSNull()
        variables[NSMigrationDestinationObjectKey] = destination
        variables[NSMigrationPropertyMappingKey] = property
        let undefinedKeys = UndefinedKeys()
        let contexts = [sourceContext, destinationContext]
        for context in contexts { context.undefinedKeys = undefinedKeys }
        defer { for context in contexts { context.undefinedKeys = nil } }
        let value: Any?
        do {
            value = try expression.expressionValueThrowing(with: source, context: variables)
        } catch {
            throw failure(mapping, property.name, expression, error, object: source)
        }
        if let (key, entity) = undefinedKeys.first {
            throw failure(
                mapping, property.name, "\(expression) cannot be evaluated: \(entity) has no property \"\(key)\".",
                advice: "Name a property of \(entity) in the value expression, or leave the expression out.",
                object: source)
        }
        guard let composite = property.composite else { return (value, ()) }
        do {
            return (try composite.value(value as? [String: Any]), ())
        } catch let unfit as UnfitValue {
            throw self.unfit(unfit, mapping, source)
        }
    }

    private func variables(_ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy?) -> NSMutableDictionary {
        let variables = NSMutableDictionary()
        variables[NSMigrationManagerKey] = self
        variables[NSMigrationEntityMappingKey] = mapping
        if let policy { variables[NSMigrationEntityPolicyKey] = policy }
        return variables
    }

    /// Sets a property of a destination object.
    ///
    /// Numbers are converted to the attribute's type: integers and floating-point numbers to Decimal, and any number to another
    /// numeric type that can represent it.
    ///
    /// - Parameter source: the object from which the value comes.
    /// - Throws: an error for a value that the property cannot store.
    final func set(
        _ value: Any?, of property: NSPropertyMapping, on object: NSManagedObject, from source: NSManagedObject?,
        in mapping: NSEntityMapping
    ) throws {
        let name = property.name ?? ""
        let value = value is NSNull ? nil : value
        switch object.entity.propertiesByName[name] {
        case let relationship as NSRelationshipDescription:
            try set(value, of: relationship, on: object, mapping)
        case is NSDerivedAttributeDescription: break
        case let attribute as NSAttributeDescription:
            let converted = try value.map { try convert($0, to: attribute, property, source, mapping) }
            if let converted, let problem = AttributeValues.problem(with: converted, for: attribute) {
                throw failure(mapping, name, problem, object: source ?? object)
            }
            object.setValue(converted, forKey: name)
        default:
            throw failure(mapping, name, "\(object.entity.name ?? "?") has no attribute or relationship \"\(name)\".")
        }
    }

    /// Returns a number converted to the attribute's type; returns other values unchanged.
    private func convert(
        _ value: Any, to attribute: NSAttributeDescription, _ property: NSPropertyMapping, _ source: NSManagedObject?,
        _ mapping: NSEntityMapping
    ) throws -> Any {
        guard let number = BoxedValue.number(from: value) else { return value }
        let conversion = MappedNumber(number, attribute: attribute)
        if attribute.attributeType == .decimalAttributeType { return conversion.decimal ?? value }
        let origin = property.sourceKey.flatMap { source?.entity.attributesByName[$0] }
        guard let problem = conversion.problem(from: origin?.plainType) else { return value }
        throw unfit(problem, mapping, source)
    }

    private func unfit(_ value: UnfitValue, _ mapping: NSEntityMapping, _ source: NSManagedObject?) -> NSError {
        var value = value
        value.entity = mapping.destinationEntityName ?? ""
        value.object = source?.objectID.uriRepresentation()
        return value.failure()
    }

    private func set(
        _ value: Any?, of relationship: NSRelationshipDescription, on object: NSManagedObject,
        _ mapping: NSEntityMapping
    ) throws {
        var members: [NSManagedObject] = []
        if let one = value as? NSManagedObject {
            members = [one]
        } else if let collection = value as? any PredicateCollection {
            for element in collection.predicateElements {
                guard let member = element as? NSManagedObject else {
                    throw failure(
                        mapping, relationship.name, "\(element) is no managed object.", object: object)
                }
                members.append(member)
            }
        } else if let value {
            throw failure(mapping, relationship.name, "\(value) is no managed object.", object: object)
        }
        for member in members {
            guard member.managedObjectContext === object.managedObjectContext else {
                throw failure(
                    mapping, relationship.name,
                    "\(member.objectID) is an object of the source; relationships need objects of the destination.",
                    object: object)
            }
            if let target = relationship.destinationEntity, !member.entity.isKindOf(entity: target) {
                throw failure(
                    mapping, relationship.name,
                    "\(member.entity.name ?? "?") is not the destination entity \(target.name ?? "?").", object: object)
            }
        }
        if !relationship.isToMany {
            object.setValue(members.first, forKey: relationship.name)
        } else if relationship.isOrdered {
            object.setValue(NSOrderedSet(array: members), forKey: relationship.name)
        } else {
            object.setValue(Set(members), forKey: relationship.name)
        }
    }

    /// Returns the error for an expression that cannot be evaluated.
    private func failure(
        _ mapping: NSEntityMapping, _ key: String?, _ expression: NSExpression, _ error: any Error,
        object: NSManagedObject? = nil
    ) -> NSError {
        // Errors of the predicate language have their reason in the description, and no user info.
        let info = (error as NSError).userInfo
        let reason = info[NSLocalizedFailureReasonErrorKey] as? String ?? info[NSLocalizedDescriptionKey] as? String
        return failure(
            mapping, key, "\(expression) cannot be evaluated: \(reason ?? "\(error)")",
            advice: info[NSLocalizedRecoverySuggestionErrorKey] as? String
                ?? "Correct the \(key == nil ? "source" : "value") expression in the mapping model.",
            object: object, underlying: error)
    }

    final func failure(
        _ mapping: NSEntityMapping, _ key: String?, _ reason: String, advice: String? = nil,
        object: NSManagedObject? = nil, underlying: (any Error)? = nil
    ) -> NSError {
        CoreDataError.make(
            NSEntityMigrationPolicyError,
            description: "The mapping \"\(mapping.name ?? "")\" could not be carried out.",
            reason: reason,
            advice: advice
                ?? (key == nil
                    ? "Correct the entity mapping in the mapping model."
                    : "Correct the value expression in the mapping model, or compute the value in a policy."),
            entity: mapping.destinationEntityName ?? mapping.sourceEntityName,
            key: key, underlying: underlying,
            userInfo: object.map { [NSAffectedObjectsErrorKey: [$0.objectID.uriRepresentation()]] } ?? [:])
    }

    // MARK: Source objects

    /// Returns the source objects of a mapping.
    final func sourceObjects(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
        guard let entity = sourceEntity(for: mapping) else { return [] }
        guard let expression = mapping.sourceExpression else {
            return try fetch(fetchRequest(entity.name ?? "", predicate: nil), mapping)
        }
        do {
            return try sourceObjects(of: mapping, by: expression)
        } catch {
            throw failure(mapping, nil, expression, error)
        }
    }

    private func sourceObjects(of mapping: NSEntityMapping, by expression: NSExpression) throws -> [NSManagedObject] {
        let variables = variables(mapping, nil)
        if case .fetch(let request, _, _) = expression.node {
            let value = try NSExpression(node: request).expressionValueThrowing(with: nil, context: variables)
            guard let request = value as? NSFetchRequest<NSManagedObject> else {
                throw noObjects("it does not fetch managed objects")
            }
            return try fetch(request, mapping)
        }
        guard let value = try expression.expressionValueThrowing(with: nil, context: variables), !(value is NSNull)
        else {
            return []
        }
        guard let elements = (value as? any PredicateCollection)?.predicateElements else {
            throw noObjects("\(value) is no collection of managed objects")
        }
        return try elements.map { element in
            guard let object = element as? NSManagedObject, object.managedObjectContext === sourceContext else {
                throw noObjects("\(element) is no managed object of the source")
            }
            return object
        }
    }

    private func noObjects(_ reason: String) -> NSError {
        CoreDataError.make(
            NSEntityMigrationPolicyError, description: "A source expression does not give objects.", reason: reason,
            advice: "Let it be a FETCH expression, or another that gives a collection of the source's objects.")
    }

    private func fetch(
        _ request: NSFetchRequest<NSManagedObject>, _ mapping: NSEntityMapping
    ) throws -> [NSManagedObject] {
        request.returnsObjectsAsFaults = false
        let relationships = sourceEntity(for: mapping)?.relationshipsByName ?? [:]
        let used = (mapping.relationshipMappings ?? []).compactMap { mapping in
            mapping.name.flatMap { relationships[$0] != nil ? $0 : nil }
        }
        if !used.isEmpty { request.relationshipKeyPathsForPrefetching = used }
        return try sourceContext.fetch(request)
    }

    private func fetchRequest(_ name: String, predicate: NSPredicate?) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        // Subentities have separate mappings.
        request.includesSubentities = false
        request.predicate = predicate
        return request
    }
}

// MARK: - Messages

extension NSMigrationManager: PredicateMessageReceiver, KeyValueCoding {
    /// Performs the messages that mapping models send to `$manager`.
    public final func answer(_ selector: String, arguments: [Any?]) throws -> Any? {
        func text(_ index: Int) throws -> String {
            guard index < arguments.count, let text = arguments[index] as? String else { throw unknown(selector) }
            return text
        }
        func objects(_ index: Int) -> [NSManagedObject]? {
            guard index < arguments.count, let value = arguments[index] else { return [] }
            if let object = value as? NSManagedObject { return [object] }
            return (value as? any PredicateCollection)?.predicateElements.compactMap { $0 as? NSManagedObject } ?? []
        }
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return destinationInstances(forEntityMappingName: try text(0), sourceInstances: objects(1))
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            return sourceInstances(forEntityMappingName: try text(0), destinationInstances: objects(1))
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return destinationInstances(ofRelated: objects(1) ?? [])
        case "fetchRequestForSourceEntityNamed:predicateString:":
            let name = try text(0)
            guard sourceModel.entitiesByName[name] != nil else {
                throw CoreDataError.make(
                    NSMigrationError, description: "The mapping model does not fit the source model.",
                    reason: "The source model has no entity \"\(name)\".", entity: name)
            }
            let format = try text(1)
            return fetchRequest(
                name, predicate: format == "TRUEPREDICATE" ? nil : try NSPredicate.parse(format, arguments: []))
        default: throw unknown(selector)
        }
    }

    private final func unknown(_ selector: String) -> NSError {
        CoreDataError.make(
            NSEntityMigrationPolicyError, description: "A value expression cannot be evaluated.",
            reason: "NSMigrationManager does not answer \"\(selector)\" with these arguments.",
            advice: "It knows destinationInstancesForEntityMappingNamed:sourceInstances:, its counterpart "
                + "sourceInstancesForEntityMappingNamed:destinationInstances:, "
                + "destinationInstancesForSourceRelationshipNamed:sourceInstances: and "
                + "fetchRequestForSourceEntityNamed:predicateString:.")
    }

    /// Returns the values for key paths such as `$manager.userInfo.today`.
    public final func value(forKey key: String) -> Any? {
        switch key {
        case "sourceContext": sourceContext
        case "destinationContext": destinationContext
        case "sourceModel": sourceModel
        case "destinationModel": destinationModel
        case "mappingModel": runningMapping
        case "currentEntityMapping": runningEntityMapping
        case "migrationProgress": migrationProgress
        case "userInfo": userInfo
        default: nil
        }
    }
}

extension NSEntityMapping: KeyValueCoding {
    /// Returns the values for key paths such as `$entityMapping.userInfo.word`.
    public final func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "sourceEntityName": sourceEntityName
        case "destinationEntityName": destinationEntityName
        case "entityMigrationPolicyClassName": entityMigrationPolicyClassName
        case "userInfo": userInfo
        default: nil
        }
    }
}

extension NSPropertyMapping: KeyValueCoding {
    /// Returns the values for key paths such as `$propertyMapping.userInfo.word`.
    public final func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "userInfo": userInfo
        default: nil
        }
    }
}
