import CoreDataRowStorage
import Foundation

/// An attribute: a value of one of the types of `NSAttributeType`.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The kind of value; undefined unless set. Persistent attributes need a defined type.
    open var attributeType = NSAttributeType.undefinedAttributeType { willSet { willEdit() } }

    /// The value a new object starts with. Must fit the type: a value of another type traps, as in Apple's framework.
    /// Not part of the version hash.
    open var defaultValue: Any? {
        get { storedDefault.object }
        set {
            if let newValue, let problem = AttributeValues.problem(with: newValue, for: self) { fatalError(problem) }
            storedDefault = AttributeDefault(newValue.map { AttributeValues.boxed($0, as: attributeType) })
        }
    }

    /// Name of the value transformer of a transformable attribute; nil means keyed archiving of objects of any
    /// class. Name `NSSecureUnarchiveFromData`, or a transformer of your own, where a store may come from elsewhere.
    open var valueTransformerName: String? { willSet { willEdit() } }

    /// Whether a store may keep large values of a binary attribute in files of their own.
    open var allowsExternalBinaryDataStorage = false { willSet { willEdit() } }

    /// Whether persistent history keeps the value when the object is deleted.
    open var preservesValueInHistoryOnDeletion = false { willSet { willEdit() } }

    /// Whether CloudKit may keep the value encrypted. Kept with the model; without effect off Apple.
    open var allowsCloudEncryption = false { willSet { willEdit() } }

    /// The composite attribute that this one is an element of; the last one it was given to.
    final weak var composite: NSCompositeAttributeDescription?
    final var customValueClassName: String? { willSet { willEdit() } }
    final var storedDefault = AttributeDefault.none { willSet { willEdit() } }

    /// The kind of value, in the newer form.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// Name of the class of the values. Follows the type; only transformable and undefined attributes keep a name of
    /// their own.
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
