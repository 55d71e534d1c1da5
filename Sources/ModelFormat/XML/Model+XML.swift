import Foundation

extension Model {
    /// Returns the model as an XML document: the `contents` file of an `.xcdatamodel`, formatted as by Xcode.
    ///
    /// Parts without an XML form are omitted: see ``partsWithoutXMLForm()``. Composite attributes without a type name, as in
    /// compiled models, get types named after the attributes.
    public func xml() -> Data {
        let writer = XMLModelWriter(self)
        return Data(writer.write().utf8)
    }

    /// Returns the parts that ``xml()`` omits: predicates unknown to the editor, defaults that are not constants, sort
    /// descriptors of fetch templates, and the like. Empty for every model that was read from XML.
    public func partsWithoutXMLForm() -> [ModelFormatError] {
        var losses = XMLLosses()
        losses.collect(self)
        return losses.found
    }
}
