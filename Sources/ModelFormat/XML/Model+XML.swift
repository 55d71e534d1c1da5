import Foundation

extension Model {
    /// The model as an XML document: the `contents` file of an `.xcdatamodel`, laid out as Xcode does.
    ///
    /// What the XML form has no place for is left out: see ``partsWithoutXMLForm()``. Composite attributes whose type has
    /// no name, as in compiled models, get types named after the attributes.
    public func xml() -> Data {
        let writer = XMLModelWriter(self)
        return Data(writer.write().utf8)
    }

    /// What ``xml()`` leaves out: predicates no editor offers, defaults that are no constants, sort descriptors of fetch
    /// templates, and the like. Empty for every model that came from XML.
    public func partsWithoutXMLForm() -> [ModelFormatError] {
        var losses = XMLLosses()
        losses.collect(self)
        return losses.found
    }
}
