import Foundation
import ModelFormat

extension ModelBundle.Version {
    /// Returns an error about the version's model with its file and line.
    package func placed(_ error: ModelFormatError) -> ModelFormatError {
        var error = error
        if error.line == nil { error.line = lines[error.entity, error.property] }
        return file.map(error.inFile) ?? error
    }

    /// Returns the version hashes of the model's entities by name.
    ///
    /// - Throws: ``ModelFormatError`` with file and line.
    package func placedHashes() throws(ModelFormatError) -> [String: Data] {
        do throws(ModelFormatError) {
            return try model.versionHashes()
        } catch {
            throw placed(error)
        }
    }
}
