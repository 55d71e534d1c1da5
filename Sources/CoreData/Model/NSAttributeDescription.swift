import CoreDataRowStorage
import Foundation

/// An attribute: a value of one of the types of `NSAttributeType`.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The type of the values; undefined unless set. Persistent attributes need a defined type.
    open var attributeType = NSAttributeType.undefinedAttributeType { willSet { willEdit() } }

    /// The initial value of the attribute in new objects. Traps if set to a value of another type, as in Apple's framework. Not
    /// part of the version hash.
    open var defaultValue: Any? {
        get { storedDefault.object }
        set {
            if let newValue, let problem = AttributeValues.problem(with: newValue, for: self) { fatalError(problem) }
            storedDefault = AttributeDefault(newValue.map { AttributeValues.boxed($0, as: attributeType) })
        }
    }

    /// The name of the value transformer of a transformable attribute; nil means keyed archiving of objects of any class. Use
    /// `NSSecureUnarchiveFromData`, or a custom transformer, if a store may come from an untrusted source.
    open var valueTransformerName: String? { willSet { willEdit() } }

    /// Whether a store may save large values of a binary attribute in separate files.
    open var allowsExternalBinaryDataStorage = false { willSet { willEdit() } }

    /// Whether persistent history preserves the value when the object is deleted.
    open var preservesValueInHistoryOnDeletion = false { willSet { willEdit() } }

    /// Whether CloudKit may encrypt the value. Stored in the model; no effect off Apple's platforms.
    open var allowsCloudEncryption = false { willSet { willEdit() } }

    /// The composite attribute to which this attribute was last added as an element.
    final weak var composite: NSCompositeAttributeDescription?
    final var customValueClassName: String? { willSet { willEdit() } }
    final var storedDefault = AttributeDefault.none { willSet { willEdit() } }

    /// The type of the values, in the newer form.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// The name of the class of the values. Determined by the type; only transformable and undefined attributes use a name that
    /// was set.
    open var attributeValueClassName: String? {
        get { attributeType.valueClassName ?? customValueClassName }
        set { customValueClassName = newValue }
    }

    override func makeEmpty() -> NSPropertyDescription { NSAttributeDescription() }

    override func assign(from other: NSPropertyDescription) {
        super.assign(from: other)
        guard let other = other as? NSAttributeDescription else { return }
        attributeType = other.attributeType
        storedDefault = other.storedDefault
        valueTransformerName = other.valueTransformerName
        allowsExternalBinaryDataStorage = other.allowsExternalBinaryDataStorage
        preservesValueInHistoryOnDeletion = other.preservesValueInHistoryOnDeletion
        allowsCloudEncryption = other.allowsCloudEncryption
        customValueClassName = other.customValueClassName
    }

    override func isSame(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSAttributeDescription, super.isSame(as: other) else { return false }
        return attributeType == other.attributeType && valueTransformerName == other.valueTransformerName
            && attributeValueClassName == other.attributeValueClassName
            && allowsExternalBinaryDataStorage == other.allowsExternalBinaryDataStorage
            && preservesValueInHistoryOnDeletion == other.preservesValueInHistoryOnDeletion
            && allowsCloudEncryption == other.allowsCloudEncryption
            && AttributeValues.areEqual(storedDefault.object, other.storedDefault.object)
    }

    open override var description: String {
        super.description + ", attributeType \(attributeType.rawValue), "
            + "attributeValueClassName \(attributeValueClassName ?? "(null)"), "
            + "defaultValue \(storedDefault.object.map { "\($0)" } ?? "(null)")"
    }
}
