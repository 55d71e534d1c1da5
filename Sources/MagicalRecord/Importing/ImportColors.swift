import CoreData

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// A color written `rgba(64,128,225,1)`: red, green and blue from 0 to 255, alpha from 0 to 1.
struct ColorText {
    /// Red, green, blue and alpha, each from 0 to 1.
    let components: [Double]

    /// Parses a color; returns nil for any other text. Alpha may be a fraction, on which the original looped forever.
    init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard trimmed.lowercased().hasPrefix("rgba("), trimmed.hasSuffix(")") else { return nil }
        let numbers = trimmed.dropFirst(5).dropLast().split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 4, let red = numbers[0], let green = numbers[1], let blue = numbers[2],
            let alpha = numbers[3]
        else { return nil }
        components = [red / 255, green / 255, blue / 255, alpha]
    }

    /// The platform's color object; without UIKit and AppKit an array of the four components.
    var value: Any {
        #if canImport(UIKit)
        return UIColor(
            red: components[0], green: components[1], blue: components[2], alpha: components[3])
        #elseif canImport(AppKit)
        return NSColor(
            deviceRed: components[0], green: components[1], blue: components[2], alpha: components[3])
        #else
        return NSArray(array: components.map { NSNumber(value: $0) })
        #endif
    }
}
