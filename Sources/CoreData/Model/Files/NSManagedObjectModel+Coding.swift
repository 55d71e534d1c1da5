import Foundation
import ModelFormat
import ModelPredicates

// Models in keyed archives: the compiled form as data, and separately the parts that it cannot represent.

extension NSManagedObjectModel {
    private enum CodingName {
        static let compiled = "compiledModel"
        static let localization = "localizationDictionary"
    }

    /// Fills an empty model. Throws for archives without a model or with a damaged one.
    func fill(from coder: NSCoder) throws {
        guard let data = coder.decodeObject(of: NSData.self, forKey: CodingName.compiled) else {
            throw CocoaError(.coderValueNotFound)
        }
        let values: Model
        do throws(ModelFormatError) {
            values = try Model(archive: data as Data)
        } catch {
            throw ModelFileError.wrapped(error)
        }
        try ModelBuilder.fill(self, from: values)
        guard coder.containsValue(forKey: CodingName.localization),
            let texts = coder.decodeObject(of: NSData.self, forKey: CodingName.localization)
        else { return }
        localization.set(try PropertyListDecoder().decode([String: String].self, from: texts as Data))
    }

    /// Archives the model in its compiled form. Traps for inconsistent models, which have none.
    func encodeCompiled(with coder: NSCoder) {
        do {
            let data = try ModelValues.model(self).archive(parser: FormatTextParser())
            coder.encode(data as NSData, forKey: CodingName.compiled)
            guard let texts = localization.texts else { return }
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            coder.encode(try encoder.encode(texts) as NSData, forKey: CodingName.localization)
        } catch {
            fatalError("The model cannot be archived: \(error). Complete it first.")
        }
    }
}
