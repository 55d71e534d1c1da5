import CoreDataRowStorage

extension NSManagedObject {
    /// Performs the checks of `validateForInsert()` and `validateForUpdate()`.
    final func validateProperties() throws {
        guard realise() else { return }
        let isPlain = layoutReference._withUnsafeGuaranteedRef { hasRequiredValues($0) && hasValidCells($0) }
        guard isPlain, !MethodOverrides.validatesValues(type(of: self)) else { return try validateEach() }
        try layoutReference._withUnsafeGuaranteedRef { layout in
            try layout.ruleReference._withUnsafeGuaranteedRef { rules in
                if !rules.isEmpty { try validateRules(rules) }
            }
        }
    }

    /// Validates each property separately, to call overrides of `validateValue(_:forKey:)` or to report missing values.
    private func validateEach() throws {
        var errors = ValidationErrors()
        let asksForAll = MethodOverrides.validatesValues(type(of: self))
        for name in layout.rules.names where !isUnreadable(name) {
            // A value in an external file was validated when it was saved, and is not nil: it is read only if it has validation
            // predicates.
            if !asksForAll, file(ofKey: name) != nil, !layout.rules.ruledNames.contains(name) { continue }
            var value = validatedValue(name)
            let original = value
            do {
                try validateValue(&value, forKey: name)
                if let replaced = Self.replacement(value, for: original) { setValue(replaced, forKey: name) }
            } catch {
                errors.add(error)
            }
        }
        try errors.throwIfAny()
    }

    /// Validates the properties that have rules other than being required.
    private func validateRules(_ rules: ValidationRules) throws {
        var errors = ValidationErrors()
        for name in rules.ruledNames where !isUnreadable(name) {
            do {
                try validateAgainstModel(validatedValue(name), forKey: name)
            } catch {
                errors.add(error)
            }
        }
        try errors.throwIfAny()
    }

    /// Returns true if every required cell is present, which is the only check for most objects.
    @inline(__always)
    private func hasRequiredValues(_ layout: EntityLayout) -> Bool {
        guard let row = _row else { return false }
        for word in 0..<layout.bitWords {
            let present = row.load(fromByteOffset: 8 + word << 3, as: UInt64.self)
            let required = layout.requiredBits[word]
            if present & required != required { return false }
        }
        return true
    }

    /// Returns false if a date is not a number or a URI is empty: the store could not return these values.
    @inline(__always)
    private func hasValidCells(_ layout: EntityLayout) -> Bool {
        guard let row = _row else { return true }
        return layout.ruleReference._withUnsafeGuaranteedRef { rules in
            for word in 0..<layout.bitWords {
                let present = row.load(fromByteOffset: 8 + word << 3, as: UInt64.self)
                var dates = present & rules.dateBits[word]
                while dates != 0 {
                    let index = word << 6 + dates.trailingZeroBitCount
                    if Double(bitPattern: layout.bits(row, index)).isNaN { return false }
                    dates &= dates - 1
                }
                var texts = present & rules.uriBits[word]
                while texts != 0 {
                    let index = word << 6 + texts.trailingZeroBitCount
                    if HeapRange(bits: layout.bits(row, index)).count == 0 { return false }
                    texts &= texts - 1
                }
            }
            return true
        }
    }

    private final func validatedValue(_ name: String) -> Any? {
        // Unloaded to-many relationships have not changed and are not checked.
        if let index = layout.relationshipIndex(named: name), layout.relationships[index].isToMany,
            hasFault(forRelationshipNamed: name),
            _extra.flatMap({ index < $0.relationships.count ? $0.relationships[index] as? ToMany : nil })?.hasChanges
                != true
        {
            return nil
        }
        return value(forKey: name)
    }

    /// Returns a validated value if it differs from the original, else nil. Composites are compared by their elements.
    private static func replacement(_ value: Any?, for original: Any?) -> Any?? {
        if AttributeValues.areEqual(value, original) { return nil }
        if let value, let original, (value as AnyObject) === (original as AnyObject) { return nil }
        return .some(value)
    }

    /// Checks one value against the rules of the model.
    final func validateAgainstModel(_ value: Any?, forKey key: String) throws {
        guard let property = entity.propertiesByName[key] else { return }
        let value = value is NSNull ? nil : value
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
            let count = Self.count(of: value)
            if hasFault(forRelationshipNamed: key), value == nil { return }
            // Without a minimum count a to-many may be empty, required or not. An optional one may be empty whatever its
            // minimum.
            if count < relationship.minCount, count > 0 || !relationship.isOptional {
                throw validationError(NSValidationRelationshipLacksMinimumCountError, key, value)
            } else if relationship.maxCount > 0, count > relationship.maxCount {
                throw validationError(NSValidationRelationshipExceedsMaximumCountError, key, value)
            }
        } else if value == nil {
            guard
                property.isOptional || property is NSDerivedAttributeDescription
                    || property is NSFetchedPropertyDescription
            else {
                if isMissing(key) { return }
                throw validationError(NSValidationMissingMandatoryPropertyError, key, nil)
            }
            return
        }
        try check(value, property, key)
        guard let composite = property as? NSCompositeAttributeDescription, let values = value as? [String: Any] else {
            return
        }
        try validateElements(of: composite, values, key: key) { value, element, path in
            if value != nil { return try check(value, element, path) }
            if element.isOptional || element is NSDerivedAttributeDescription { return }
            throw validationError(NSValidationMissingMandatoryPropertyError, path, nil)
        }
    }

    /// Checks a value for validity and by the predicates of its description.
    private func check(_ value: Any?, _ property: NSPropertyDescription, _ key: String) throws {
        if let attribute = property as? NSAttributeDescription, let code = Self.fault(of: value, attribute) {
            // Foundation stops the program when it prints such a date.
            throw validationError(code, key, code == NSValidationInvalidDateError ? nil : value)
        }
        for (index, predicate) in property.validationPredicates.enumerated() where !predicate.evaluate(with: value) {
            let warning = index < property.validationWarnings.count ? property.validationWarnings[index] : nil
            let code = (warning as? NSNumber)?.intValue ?? NSManagedObjectValidationError
            throw validationError(code, key, value, predicate: predicate, message: warning as? String)
        }
    }

    /// Returns the error code of a value that is invalid whatever the rules.
    private static func fault(of value: Any?, _ attribute: NSAttributeDescription) -> Int? {
        switch attribute.attributeType {
        case .dateAttributeType:
            return (value as? Date)?.timeIntervalSinceReferenceDate.isNaN == true ? NSValidationInvalidDateError : nil
        case .URIAttributeType:
            return (value as? URL)?.absoluteString.isEmpty == true ? NSValidationInvalidURIError : nil
        default: return nil
        }
    }

    /// Performs the checks of `validateForDelete()`.
    final func validateDenyRules() throws {
        let layout = layout
        guard !layout.rulesAgainstDeletion.isEmpty else { return }
        var errors = ValidationErrors()
        for relationship in layout.rulesAgainstDeletion {
            let remaining = destinations(of: relationship).filter(\.deniesDeletion)
            if !remaining.isEmpty {
                errors.add(
                    validationError(
                        NSValidationRelationshipDeniedDeleteError, relationship.name,
                        relationship.isToMany ? Set(remaining) as Any : remaining[0] as Any))
            }
        }
        try errors.throwIfAny()
    }

    /// True if a relationship with the *deny* rule has destinations that are not deleted.
    final var isDeletionDenied: Bool {
        layout.rulesAgainstDeletion.contains { relationship in
            destinations(of: relationship).contains(where: \.deniesDeletion)
        }
    }

    /// True if the object is neither deleted nor to be deleted.
    private final var deniesDeletion: Bool { !_state.isEnding }

    private static func count(of value: Any?) -> Int {
        switch value {
        case let set as NSSet: set.count
        case let ordered as NSOrderedSet: ordered.count
        default: 0
        }
    }

    /// Returns the error for a property. Its description is Apple's sentence and the detail, or the rule's own message alone.
    private final func validationError(
        _ code: Int, _ key: String, _ value: Any?, predicate: NSPredicate? = nil, message: String? = nil
    ) -> NSError {
        let model = entity.managedObjectModel
        var userInfo: [String: Any] = [NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: key]
        userInfo[NSValidationValueErrorKey] = value
        userInfo[NSValidationPredicateErrorKey] = predicate
        let detail = ValidationDetail(code: code, object: self, key: key, value: value, predicate: predicate)
        return CoreDataError.make(
            code,
            description: message.map(model.localizedWarning)
                ?? "\(Self.message(code, model.localizedName(ofProperty: key, of: entity))) \(detail)",
            reason: "\(detail)", advice: detail.advice, entity: layout.name, key: key, userInfo: userInfo)
    }

    private static func message(_ code: Int, _ key: String) -> String {
        switch code {
        case NSValidationMissingMandatoryPropertyError: "\(key) is a required value."
        case NSValidationRelationshipLacksMinimumCountError: "\(key) has too few items."
        case NSValidationRelationshipExceedsMaximumCountError: "\(key) has too many items."
        case NSValidationRelationshipDeniedDeleteError: "Items cannot be deleted from \(key)."
        case NSValidationNumberTooLargeError: "\(key) is too large."
        case NSValidationNumberTooSmallError: "\(key) is too small."
        case NSValidationInvalidDateError: "\(key) is not a date."
        case NSValidationInvalidURIError: "\(key) is not a URI."
        case NSValidationDateTooLateError: "\(key) is too late."
        case NSValidationDateTooSoonError: "\(key) is too soon."
        case NSValidationStringTooLongError: "\(key) is too long."
        case NSValidationStringTooShortError: "\(key) is too short."
        case NSValidationStringPatternMatchingError: "\(key) does not have the required form."
        default: "\(key) is not valid."
        }
    }
}

extension EntityLayout {
    /// The rules that are checked before the entity's objects are saved. Created for the first object that is validated,
    /// because many programs only read.
    var rules: ValidationRules { ruleReference.takeUnretainedValue() }

    /// The ``rules`` as an unmanaged reference, to avoid retain/release.
    var ruleReference: Unmanaged<ValidationRules> {
        .fromOpaque(graphCache.reference { ValidationRules(entity, cells, bitWords) }.toOpaque())
    }
}

/// The validation rules of an entity.
final class ValidationRules: @unchecked Sendable {
    /// The properties in the order of validation.
    let names: [String]
    /// The properties with rules other than being required.
    let ruledNames: [String]
    /// True if no property has rules other than being required.
    let isEmpty: Bool
    /// The cells that contain dates, and those that contain URIs.
    let dateBits: CellBits
    let uriBits: CellBits

    init(_ entity: NSEntityDescription, _ cells: ContiguousArray<EntityLayout.Cell>, _ bitWords: Int) {
        dateBits = CellBits(words: bitWords, of: cells.indices) { cells[$0].kind == .date && !cells[$0].isDerived }
        uriBits = CellBits(words: bitWords, of: cells.indices) { cells[$0].kind == .uri && !cells[$0].isDerived }
        let properties = entity.propertiesByName
        names = entity.orderedProperties.map(\.name).filter { !(properties[$0] is NSFetchedPropertyDescription) }
        ruledNames = names.filter { name in
            guard let property = properties[name] else { return false }
            if !property.validationPredicates.isEmpty { return true }
            guard let relationship = property as? NSRelationshipDescription, relationship.isToMany else {
                guard let composite = property as? NSCompositeAttributeDescription else { return false }
                return !composite.isOptional || composite.hasRules
            }
            return relationship.minCount > 0 || relationship.maxCount > 0
        }
        isEmpty = ruledNames.isEmpty
    }
}
