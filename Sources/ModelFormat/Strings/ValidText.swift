import Foundation

extension String {
    /// Decodes UTF-8; returns nil for data that are not valid.
    init?(validUTF8 data: Data) {
        // `init(validating:as:)` is missing from older systems of Apple's.
        self.init(decoding: data, as: UTF8.self)
        guard utf8.elementsEqual(data) else { return nil }
    }
}
