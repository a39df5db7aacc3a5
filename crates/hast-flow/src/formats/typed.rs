//! From a tree to a Rust type, with the place of the value that does not fit.

use std::fmt;
use std::ops::Range;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::formats::tree::{Field, Node, Value};

/// Why a tree is not the wanted type, and which bytes say so.
#[derive(Clone, Debug)]
pub struct Misfit {
    pub span: Option<Range<usize>>,
    pub detail: String,
}

/// Builds the type from the tree.
pub fn from_tree<T: de::DeserializeOwned>(node: &Node) -> Result<T, Misfit> {
    T::deserialize(node)
}

impl Misfit {
    fn at(mut self, span: &Range<usize>) -> Self {
        // The innermost value is the one to show.
        self.span.get_or_insert_with(|| span.clone());
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(detail: T) -> Self {
        Self { span: None, detail: detail.to_string() }
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let result = match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(bool) => visitor.visit_bool(*bool),
            Value::Integer(integer) => visitor.visit_i64(*integer),
            Value::Number(number) => visitor.visit_f64(*number),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => visitor.visit_seq(Items(items.iter())),
            Value::Map(fields) => visitor.visit_map(Fields { fields: fields.iter(), value: None }),
        };
        result.map_err(|misfit| misfit.at(&self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let Some(name) = self.text() else {
            return Err(<Misfit as de::Error>::custom("expected a word").at(&self.span));
        };
        visitor.visit_enum(Word(name)).map_err(|misfit: Misfit| misfit.at(&self.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        self.0.next().map(|node| seed.deserialize(node)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Fields<'de> {
    fields: std::slice::Iter<'de, Field>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        let Some(field) = self.fields.next() else { return Ok(None) };
        self.value = Some(&field.node);
        let key: StrDeserializer<'de, Misfit> = (&*field.key).into_deserializer();
        seed.deserialize(key).map(Some).map_err(|misfit| misfit.at(&field.key_span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        match self.value.take() {
            Some(node) => seed.deserialize(node).map_err(|misfit| misfit.at(&node.span)),
            None => Err(de::Error::custom("a value was asked for before its key")),
        }
    }
}

/// An enum without data, written as its name.
struct Word<'de>(&'de str);

impl<'de> EnumAccess<'de> for Word<'de> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Misfit> {
        let name: StrDeserializer<'de, Misfit> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'de> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Misfit> {
        Err(de::Error::custom("this word takes no value"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Misfit> {
        Err(de::Error::custom("this word takes no value"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Misfit> {
        Err(de::Error::custom("this word takes no value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::source::Source;
    use crate::formats::yaml;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sample {
        name: String,
        count: u32,
        colour: Colour,
        #[serde(default)]
        more: Option<BTreeMap<String, Vec<f64>>>,
    }

    fn read(text: &str) -> Result<Sample, Misfit> {
        from_tree(&yaml::read(&Source::new("f", text)).unwrap().root)
    }

    #[test]
    fn a_tree_becomes_a_type() {
        let sample = read("name: 이름\ncount: 3\ncolour: red\nmore: {a: [1, 2.5]}\n").unwrap();
        assert_eq!(sample.more.unwrap()["a"], [1.0, 2.5]);
        assert_eq!(sample.colour, Colour::Red);
        assert_eq!(read("name: x\ncount: 1\ncolour: red\nmore: ~\n").unwrap().more, None);
    }

    #[test]
    fn a_misfit_points_at_the_innermost_value() {
        let text = "name: x\ncount: 3\ncolour: red\nmore: {a: [1, no]}\n";
        let misfit = read(text).unwrap_err();
        assert_eq!(&text[misfit.span.unwrap()], "no");
        let text = "name: x\ncount: -1\ncolour: red\n";
        assert_eq!(&text[read(text).unwrap_err().span.unwrap()], "-1");
        let text = "name: x\ncount: 1\ncolour: blue\n";
        assert_eq!(&text[read(text).unwrap_err().span.unwrap()], "blue");
    }
}
